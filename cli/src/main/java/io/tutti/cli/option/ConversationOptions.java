package io.tutti.cli.option;

import io.tutti.cli.console.ByteOrderMark;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** What a chat starts from. */
public class ConversationOptions {

    private static final String MESSAGES = "--messages";
    private static final String TEMPLATE_VARIABLE = "--template-var";

    @Option(
            names = "--system",
            paramLabel = "TEXT",
            description = "The system prompt (default: the template's own, if it has one).")
    private String system;

    @Option(
            names = MESSAGES,
            paramLabel = "FILE",
            description = "What was said before: a JSON list of messages, each as {\"role\": \"user\", \"content\":"
                    + " \"…\"}, such as /save writes.")
    private String messages;

    @Option(
            names = TEMPLATE_VARIABLE,
            paramLabel = "NAME=VALUE",
            description =
                    "A variable for the chat template, such as enable_thinking=false: JSON, or else text; may be given"
                            + " several times.")
    private List<String> templateVariables = new ArrayList<>();

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

    /** Further variables of the chat template, by name. */
    public Map<String, Object> templateVariables() {
        Map<String, Object> variables = new LinkedHashMap<>();
        for (String text : templateVariables) {
            TemplateVariable variable = TemplateVariable.parse(TEMPLATE_VARIABLE, text);
            if (variables.containsKey(variable.name())) {
                throw new UsageException(TEMPLATE_VARIABLE + " " + variable.name() + " is given twice; accepted: once");
            }
            variables.put(variable.name(), variable.value());
        }
        return variables;
    }

    /** The first of these options that is given. */
    Optional<String> given() {
        return Stream.of(
                        messages == null ? "" : MESSAGES,
                        system == null ? "" : "--system",
                        templateVariables.isEmpty() ? "" : TEMPLATE_VARIABLE)
                .filter(option -> !option.isEmpty())
                .findFirst();
    }

    /** Whether the messages are standard input. */
    public boolean readsInput() {
        return messages != null && InputFile.isStandardInput(messages);
    }

    /**
     * The messages, without a byte-order mark.
     *
     * @throws io.tutti.cli.console.RefusedException if they cannot be read
     */
    public Optional<Content> messages(Console console) {
        return Optional.ofNullable(messages)
                .map(file -> new InputFile(MESSAGES, file, "JSON messages"))
                .map(input -> new Content(input.path(), ByteOrderMark.without(input.read(console), input.name())));
    }
}
