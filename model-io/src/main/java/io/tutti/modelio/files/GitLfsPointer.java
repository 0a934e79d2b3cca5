package io.tutti.modelio.files;

import io.tutti.modelio.ModelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/** The small text file that a clone without Git LFS leaves in place of a large one. */
public final class GitLfsPointer {
    private static final byte[] START = "version https://git-lfs".getBytes(StandardCharsets.US_ASCII);

    /** As many bytes as {@link #refuse} looks at. */
    public static final int BYTES = START.length;

    private GitLfsPointer() {}

    /**
     * Refuses {@code file} if it is a pointer.
     *
     * @param bytes how it begins: {@link #BYTES} or more, or all of it
     */
    public static void refuse(Path file, byte[] bytes) {
        if (bytes.length >= BYTES && Arrays.equals(bytes, 0, BYTES, START, 0, BYTES)) {
            throw ModelException.of(file, "is a Git LFS pointer in place of the file; fetch it with: git lfs pull");
        }
    }
}
