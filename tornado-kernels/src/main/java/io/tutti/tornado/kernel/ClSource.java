package io.tutti.tornado.kernel;

import io.tutti.engine.backend.DeviceException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/** The OpenCL C kernel's source: resources beside the kernels in Java, joined. */
public final class ClSource {

    /** The kernel's name in it. */
    public static final String KERNEL = "run";

    private static final List<String> PARTS =
            List.of("numerics", "step", "rows", "tiles", "int8", "matmul", "attention", "run");

    private static Path file;

    private ClSource() {}

    /** The text, for arrays whose numbers begin where TornadoVM has them begin, and for rows of {@link OpTable}. */
    public static String text() {
        return "#define HEADER " + TornadoNativeArray.ARRAY_HEADER + "\n#define OP_INTS " + OpTable.ROW + "\n"
                + PARTS.stream().map(ClSource::part).collect(Collectors.joining("\n"));
    }

    private static String part(String name) {
        try (InputStream in = ClSource.class.getResourceAsStream(name + ".cl")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A file with the text, for TornadoVM reads no other; it is written once and goes with the JVM.
     *
     * @throws DeviceException if it cannot be written
     */
    public static synchronized String file() {
        try {
            if (file == null) {
                Path made = Files.createTempFile("tutti", ".cl");
                made.toFile().deleteOnExit();
                Files.writeString(made, text());
                file = made;
            }
            return file.toString();
        } catch (IOException e) {
            throw new DeviceException(
                    "the kernels' source cannot be written to the folder for temporary files: " + e.getMessage(), e);
        }
    }
}
