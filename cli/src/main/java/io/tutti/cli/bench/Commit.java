package io.tutti.cli.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Which commit of Tutti this is. The launcher runs what the checkout holds, so the checkout knows. */
public final class Commit {

    /** The checkout, where the launcher says it. */
    private static final String HOME_PROPERTY = "tutti.home";

    private Commit() {}

    /** The commit's abbreviated hash, with {@code -dirty} if files have changed since; empty where git does not say. */
    public static Optional<String> ofCheckout() {
        return Optional.ofNullable(System.getProperty(HOME_PROPERTY)).flatMap(home -> of(Path.of(home)));
    }

    static Optional<String> of(Path checkout) {
        // A folder inside another repository would be told that one's commit.
        if (!Files.exists(checkout.resolve(".git"))) {
            return Optional.empty();
        }
        try {
            Process git = new ProcessBuilder(
                            "git",
                            "-C",
                            checkout.toString(),
                            "describe",
                            "--always",
                            "--dirty",
                            "--abbrev=12",
                            "--exclude=*")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            git.getOutputStream().close();
            String line = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor() == 0 && !line.isEmpty() ? Optional.of(line) : Optional.empty();
        } catch (IOException _) {
            return Optional.empty();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
