package io.tutti.cli.option;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.RefusedException;
import io.tutti.cli.console.UsageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The prompt: exactly one of four ways to give it, or, without any, what is piped into standard input.
 */
public final class PromptOptions {

    /** How long to wait for standard input if no option says that the prompt comes from there. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final String ARGUMENT = "PROMPT";
    private static final String ACCEPTED = "--prompt TEXT, --prompt-file FILE or --tokens IDS";

    @Parameters(
            index = "0+", // after the model
            arity = "0..1",
            paramLabel = ARGUMENT,
            description = "The prompt, as after --prompt.")
    private String argument;

    @Option(
            names = {"-p", "--prompt"},
            paramLabel = "TEXT",
            description = "The prompt, encoded as it is with the tokenizer's special tokens.")
    private String prompt;

    @Option(
            names = "--prompt-file",
            paramLabel = "FILE",
            description = "The prompt is this file, UTF-8, byte for byte; - is standard input.")
    private String file;

    @Option(names = "--tokens", paramLabel = "IDS", description = "The prompt as token ids: 1,2,3.")
    private String tokens;

    /** Whether there is a prompt at all. */
    public boolean given() {
        return count() > 0;
    }

    private long count() {
        return Stream.of(argument, prompt, file, tokens).filter(p -> p != null).count();
    }

    /** Takes the first argument as the prompt, where {@code --model} gives the model; false if there is one already. */
    boolean takeArgument(String first) {
        if (argument != null) {
            return false;
        }
        argument = first;
        return true;
    }

    /**
     * Checks the prompt as far as that is possible without reading it.
     *
     * @throws UsageException if there are several prompts, none at a terminal, or one of the wrong form
     */
    public void check(Console console) {
        long given = count();
        if (given > 1) {
            throw refuse(given + " prompts are given");
        }
        if (given == 0 && console.inputIsTerminal()) {
            throw refuse("no prompt is given");
        }
        if (tokens != null) {
            tokens();
        }
        checkText("--prompt", prompt);
        checkText(ARGUMENT, argument);
    }

    private static UsageException refuse(String problem) {
        return new UsageException(problem + "; accepted: exactly one of " + ACCEPTED);
    }

    private static void checkText(String option, String text) {
        if (text != null && text.isEmpty()) {
            throw UsageException.of(option, "\"\"", "a text of at least one token");
        }
        if (text != null && !CommandLineText.isWhole(text)) {
            throw new UsageException(option + " has bytes that are not UTF-8; accepted: UTF-8 text"
                    + " (one that has U+FFFD itself can come from --prompt-file)");
        }
    }

    /**
     * Checks the prompt as a user's message in a chat.
     *
     * @param optional whether the chat can do without one
     */
    void checkMessage(boolean optional, Console console) {
        if (tokens != null) {
            throw new UsageException(
                    "--tokens is given with --chat; accepted: --prompt TEXT or --prompt-file FILE, which"
                            + " a user says");
        }
        if (count() > 0 || !optional) {
            check(console);
        }
    }

    /** Whether the prompt is standard input. */
    public boolean readsInput() {
        return file != null && InputFile.isStandardInput(file);
    }

    /**
     * The prompt. Without an option it is what is piped into standard input. If nothing comes, as under schedulers that hold
     * standard input open, this gives up after some seconds.
     *
     * @throws UsageException if there is none
     * @throws RefusedException if its file cannot be read, or is not UTF-8 text
     */
    public Prompt read(Console console) {
        check(console);
        if (tokens != null) {
            return tokens();
        }
        if (file != null) {
            return new Prompt.Text("--prompt-file", text(console));
        }
        if (count() == 0) {
            return new Prompt.Text(PipedText.NAME, piped(console));
        }
        return prompt != null ? new Prompt.Text("--prompt", prompt) : new Prompt.Text(ARGUMENT, argument);
    }

    private static String piped(Console console) {
        PipedText text = PipedText.read(console, PATIENCE)
                .orElseThrow(() -> refuse("no prompt is given, and nothing has come from standard input in "
                        + PATIENCE.toSeconds() + " seconds (--prompt-file - waits for it)"));
        if (text.text().isEmpty()) {
            throw refuse("no prompt is given, and standard input is empty");
        }
        return text.text();
    }

    /**
     * What is piped into standard input, if anything is: the prompt of a run that can do without one.
     *
     * @throws RefusedException if it cannot be read, or is not UTF-8 text
     */
    public Optional<Prompt> readPiped(Console console) {
        return console.inputIsTerminal()
                ? Optional.empty()
                : PipedText.read(console, PATIENCE)
                        .map(PipedText::text)
                        .filter(text -> !text.isEmpty())
                        .map(text -> new Prompt.Text(PipedText.NAME, text));
    }

    /** The file that holds the prompt, if one does. */
    public Optional<Path> path() {
        return Optional.ofNullable(file)
                .filter(name -> !InputFile.isStandardInput(name))
                .map(name -> ModelOption.path("--prompt-file", name));
    }

    private Prompt tokens() {
        if (tokens.isBlank()) {
            throw UsageException.of("--tokens", "\"\"", "at least one token id, such as 1,2,3");
        }
        return new Prompt.Tokens("--tokens", Numbers.tokens("--tokens", tokens));
    }

    private String text(Console console) {
        InputFile input = new InputFile("--prompt-file", file, "UTF-8 text");
        return PipedText.decode(input.read(console), input.name());
    }
}
