package io.tutti.engine.selftest;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** Tells builds of Tutti apart, released or not, by the bytes of its own part of the class path. */
public final class BuildChecksum {
    private static final String JARS = "tutti-";

    private BuildChecksum() {}

    /**
     * Of this process's class path.
     *
     * @throws IOException if something on it cannot be read
     */
    public static String ofClassPath() throws IOException {
        return of(System.getProperty("java.class.path"));
    }

    /** Of the folders and of the jars named {@code tutti-…} on {@code classPath}. */
    static String of(String classPath) throws IOException {
        CRC32C checksum = new CRC32C();
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            if (!entry.isEmpty()) {
                add(Path.of(entry), checksum);
            }
        }
        return Long.toHexString(checksum.getValue());
    }

    private static void add(Path entry, CRC32C checksum) throws IOException {
        if (Files.isDirectory(entry)) {
            for (Path file : files(entry)) {
                checksum.update(entry.relativize(file).toString().getBytes(StandardCharsets.UTF_8));
                checksum.update(Files.readAllBytes(file));
            }
        } else if (entry.getFileName().toString().startsWith(JARS) && Files.exists(entry)) {
            checksum.update(Files.readAllBytes(entry));
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> tree = Files.walk(folder)) {
            return tree.filter(Files::isRegularFile).sorted().toList();
        }
    }
}
