package io.tutti.cli.option;

import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.UsageException;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What is said in a chat, and what happens when it has become long. */
public final class ChatOptions {

    private static final String ARGUMENT = "MESSAGE";
    private static final String PROMPT = "--prompt";

    private WhenFull whenFull = WhenFull.STOP;

    @Parameters(
            index = "0+", // after the model
            arity = "0..1",
            paramLabel = ARGUMENT,
            description = "Answer only this message, and end (default: a conversation).")
    private String message;

    @Option(
            names = {"-p", PROMPT},
            paramLabel = "TEXT",
            description = "The message, in place of the argument.")
    private String prompt;

    @Option(
            names = "--lines",
            description =
                    "Each line of standard input is a message or a command (default: all of it is one message, unless"
                            + " it is a terminal).")
    private boolean lines;

    @Option(
            names = WhenFull.OPTION,
            paramLabel = "WHAT",
            description = "What happens when the room is full: stop refuses the message, roll forgets the oldest turns"
                    + " (default: stop).")
    void whenFull(String text) {
        whenFull = WhenFull.parse(WhenFull.OPTION, text);
    }

    /** Takes the first argument as the message, where {@code --model} gives the model; false if there is one already. */
    boolean takeArgument(String first) {
        if (message != null) {
            return false;
        }
        message = first;
        return true;
    }

    /**
     * The one message to answer, if there is one.
     *
     * @throws UsageException if it is blank, or not UTF-8, or given beside others
     */
    public Optional<String> message() {
        if (message != null && prompt != null) {
            throw new UsageException("the message is given twice, as " + OneLine.quote(message) + " and as " + PROMPT
                    + " " + OneLine.quote(prompt) + "; accepted: one of the two");
        }
        String text = message != null ? message : prompt;
        String option = message != null ? ARGUMENT : PROMPT;
        if (text == null) {
            return Optional.empty();
        }
        if (lines) {
            throw new UsageException("a message is given, and --lines, which reads others; accepted: one of the two");
        }
        if (text.isBlank()) {
            throw UsageException.of(option, "blank", "a text, or none for a conversation");
        }
        if (!CommandLineText.isWhole(text)) {
            throw new UsageException(option + " has bytes that are not UTF-8; accepted: UTF-8 text without U+FFFD");
        }
        return Optional.of(text);
    }

    public boolean lines() {
        return lines;
    }

    public WhenFull whenFull() {
        return whenFull;
    }
}
