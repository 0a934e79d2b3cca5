package io.tutti.cli.option;

import io.tutti.cli.console.ByteOrderMark;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.RefusedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A file that an option names, or standard input.
 *
 * @param option the option
 * @param file its value; {@code -} is standard input
 * @param content what it is to hold, for messages
 */
record InputFile(String option, String file, String content) {

    private static final String STANDARD_INPUT = "-";

    static boolean isStandardInput(String file) {
        return file.equals(STANDARD_INPUT);
    }

    /** What messages call it. */
    String name() {
        return option + " " + file + (isStandardInput(file) ? " (standard input)" : "");
    }

    /** The path, for messages that begin with a file. */
    Path path() {
        return isStandardInput(file) ? Path.of("standard input") : ModelOption.path(option, file);
    }

    /**
     * All bytes as they are, at least one.
     *
     * @throws RefusedException if it cannot be read, is empty, far too long or UTF-16
     */
    byte[] read(Console console) {
        byte[] bytes = bytes(console);
        ByteOrderMark.refuseUtf16(bytes, name());
        if (bytes.length == 0) {
            throw new RefusedException(name() + " is empty; accepted: " + content + " of at least one token");
        }
        if (bytes.length > Console.LONGEST_INPUT) {
            throw new RefusedException(name() + " is too long; accepted: at most " + Console.LONGEST_INPUT + " bytes");
        }
        return bytes;
    }

    private byte[] bytes(Console console) {
        String accepted = "; accepted: a file of " + content + ", or - for standard input";
        try {
            if (isStandardInput(file)) {
                return console.readInput(Console.LONGEST_INPUT);
            }
            Path path = path();
            if (Files.isDirectory(path)) {
                throw new RefusedException(name() + " is a directory" + accepted);
            }
            try (InputStream in = Files.newInputStream(path)) {
                return in.readNBytes(Console.LONGEST_INPUT + 1);
            }
        } catch (IOException e) {
            String reason = switch (e) {
                case NoSuchFileException _ -> "no such file";
                case AccessDeniedException _ -> "permission denied";
                default -> e.getMessage();
            };
            throw new RefusedException(name() + ": " + reason + accepted, e);
        }
    }
}
