package io.tutti.cli.option;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.UsageException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What a chat starts from. */
public class ConversationOptions {

    private static final String MESSAGES = "--messages";

    @Option(
            names = "--system",
            paramLabel = "TEXT",
            description = "The system prompt, if the chat is to have another than the template's own.")
    private String system;

    @Option(
            names = MESSAGES,
            paramLabel = "FILE",
            description = "What was said before: a JSON list of messages, each as {\"role\": \"user\", \"content\":"
                    + " \"…\"}, such as /save writes.")
    private String messages;

    /**
     * The bytes of a file.
     *
     * @param file named in messages
     */
    public record Content(Path file, byte[] bytes) {}

    /**
     * The system prompt.
     *
     * @throws UsageException if it is not UTF-8 text
     */
    public Optional<String> system() {
        if (system != null && !CommandLineText.isWhole(system)) {
            throw new UsageException("--system has bytes that are not UTF-8; accepted: UTF-8 text without U+FFFD");
        }
        return Optional.ofNullable(system);
    }

    /** Whether there are messages. */
    public boolean givesMessages() {
        return messages != null;
    }

    /** Whether any of these options is given. */
    boolean given() {
        return system != null || messages != null;
    }

    /** Whether the messages are standard input. */
    public boolean readsInput() {
        return messages != null && InputFile.isStandardInput(messages);
    }

    /**
     * The messages.
     *
     * @throws io.tutti.cli.console.RefusedException if they cannot be read
     */
    public Optional<Content> messages(Console console) {
        return Optional.ofNullable(messages)
                .map(file -> new InputFile(MESSAGES, file, "JSON messages"))
                .map(input -> new Content(input.path(), input.read(console)));
    }
}
