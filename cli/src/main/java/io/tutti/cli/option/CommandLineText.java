package io.tutti.cli.option;

/** Text as the JVM decodes it from the command line's bytes. */
final class CommandLineText {
    private static final char REPLACEMENT = '\uFFFD';

    private CommandLineText() {}

    /** Whether nothing was lost: bytes that are no text have become U+FFFD, or halves of surrogate pairs. */
    static boolean isWhole(String text) {
        return text.codePoints().noneMatch(c -> c == REPLACEMENT || Character.getType(c) == Character.SURROGATE);
    }
}
