package io.tutti.modelio.safetensors;

import io.tutti.modelio.ModelException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** The small text file that a clone without Git LFS leaves in place of a large one. */
final class GitLfsPointer {
    private static final long LONGEST = 1024;
    private static final byte[] START = "version https://git-lfs".getBytes(StandardCharsets.US_ASCII);

    private GitLfsPointer() {}

    static void refuse(Path file, long fileBytes) throws IOException {
        if (fileBytes > LONGEST) {
            return;
        }
        try (InputStream in = Files.newInputStream(file)) {
            if (Arrays.equals(in.readNBytes(START.length), START)) {
                throw ModelException.of(
                        file, "is a Git LFS pointer in place of the weights; fetch them with: git lfs pull");
            }
        }
    }
}
