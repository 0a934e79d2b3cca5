package io.tutti.modelio.tokenizer;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.files.UserFolder;
import io.tutti.modelio.files.UserHome;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/**
 * Loads Hugging Face's tokenizers library, which DJL carries in its jar for each system.
 *
 * <p>DJL's own loader and tokenizer class are passed by: they call home, look for a GPU and may download another
 * library. Only its class of native methods is used, and the library that lies in the jar. DJL's api module, which
 * holds the code that opens connections, is not even on the class path (see the pom).
 */
final class NativeTokenizers {
    private static final String RESOURCES = "native/lib/";

    private NativeTokenizers() {}

    /**
     * The native methods.
     *
     * @throws ModelException if the jar has no library for this system, or it does not load
     */
    static TokenizersLibrary library() {
        return switch (Holder.OUTCOME) {
            case Loaded(TokenizersLibrary library) -> library;
            case Failed(String why, Throwable cause) -> throw new ModelException(why, cause);
        };
    }

    private sealed interface Outcome {}

    private record Loaded(TokenizersLibrary library) implements Outcome {}

    private record Failed(String why, Throwable cause) implements Outcome {}

    /** Loads on first use, once. */
    private static final class Holder {
        static final Outcome OUTCOME = load();

        private Holder() {}

        @SuppressWarnings("restricted") // Native access is what this class is for.
        private static Outcome load() {
            String platform = platform(System.getProperty("os.name"), System.getProperty("os.arch"));
            try {
                for (Path file : unpacked(platform, cacheDirectory())) {
                    System.load(file.toString());
                }
                return new Loaded(TokenizersLibrary.LIB);
            } catch (ModelException e) {
                return new Failed(e.getMessage(), e);
            } catch (UnsatisfiedLinkError e) {
                String reason = e.getMessage().lines().findFirst().orElse("");
                return new Failed(
                        "the tokenizer's native library does not load on this system (" + reason
                                + "); give token ids instead (--tokens)",
                        e);
            }
        }
    }

    private static List<Path> unpacked(String platform, Path cache) {
        try {
            return extract(platform, cache);
        } catch (IOException e) {
            throw new ModelException(
                    "the tokenizer's native library cannot be unpacked: "
                            + ModelException.io(cache, e).getMessage() + "; accepted: "
                            + UserFolder.CACHE.variable() + " naming a folder that can be written",
                    e);
        }
    }

    /** The name that DJL's jar gives a system: {@code linux-x86_64}. */
    static String platform(String osName, String osArch) {
        String os = osName.toLowerCase(Locale.ROOT);
        String family = os.startsWith("win") ? "win" : os.startsWith("mac") ? "osx" : os.replace(' ', '_');
        return family + "-" + (osArch.equals("amd64") ? "x86_64" : osArch);
    }

    /** The library's files, in the order in which they must be loaded. */
    static List<String> fileNames(String platform) {
        if (platform.startsWith("win-")) {
            return List.of("libwinpthread-1.dll", "libgcc_s_seh-1.dll", "libstdc++-6.dll", "tokenizers.dll");
        }
        return List.of(platform.startsWith("osx-") ? "libtokenizers.dylib" : "libtokenizers.so");
    }

    /**
     * Unpacks the library for {@code platform} into a directory of its version under {@code cache}, unless it lies there
     * already.
     *
     * @return the files, in the order in which they must be loaded
     * @throws ModelException if the jar has none for the platform
     */
    static List<Path> extract(String platform, Path cache) throws IOException {
        ClassLoader loader = TokenizersLibrary.class.getClassLoader();
        String folder = RESOURCES + platform + "/cpu/";
        for (String name : fileNames(platform)) {
            if (loader.getResource(folder + name) == null) {
                throw new ModelException("text needs the tokenizer's native library, which does not exist for "
                        + platform + "; accepted: linux-x86_64, linux-aarch64, osx-aarch64, win-x86_64; give token ids"
                        + " instead (--tokens)");
            }
        }
        Path directory = cache.resolve("tokenizers-" + version(loader) + "-" + platform);
        Files.createDirectories(directory);
        for (String name : fileNames(platform)) {
            unpack(loader.getResource(folder + name), directory.resolve(name));
        }
        return fileNames(platform).stream().map(directory::resolve).toList();
    }

    /** A file of the right length is whole: it was moved there once it was. */
    private static void unpack(URL resource, Path target) throws IOException {
        var connection = resource.openConnection();
        connection.setUseCaches(false);
        try (InputStream in = connection.getInputStream()) {
            if (Files.exists(target) && Files.size(target) == connection.getContentLengthLong()) {
                return;
            }
            Path temporary = Files.createTempFile(target.getParent(), target.getFileName() + ".", ".tmp");
            try {
                Files.copy(in, temporary, StandardCopyOption.REPLACE_EXISTING);
                Files.move(temporary, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(temporary);
            }
        }
    }

    private static String version(ClassLoader loader) throws IOException {
        Properties properties = new Properties();
        try (InputStream in = loader.getResourceAsStream(RESOURCES + "tokenizers.properties")) {
            if (in == null) {
                throw new IOException("the tokenizers jar has no " + RESOURCES + "tokenizers.properties");
            }
            properties.load(in);
        }
        return properties.getProperty("version");
    }

    private static Path cacheDirectory() {
        return UserFolder.CACHE
                .path()
                .orElseThrow(() -> new ModelException("the tokenizer's native library cannot be unpacked: "
                        + UserHome.ofProcess().nowhere(UserFolder.CACHE.variable())));
    }
}
