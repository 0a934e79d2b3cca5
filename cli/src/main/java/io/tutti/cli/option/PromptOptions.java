package io.tutti.cli.option;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.RefusedException;
import io.tutti.cli.console.UsageException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** The prompt: exactly one of three ways to give it. */
public final class PromptOptions {

    private static final String ACCEPTED = "--prompt TEXT, --prompt-file FILE or --tokens IDS";

    @Option(
            names = "--prompt",
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
        return Stream.of(prompt, file, tokens).filter(p -> p != null).count();
    }

    /** Whether there is exactly one prompt, and its form is right; reads nothing yet. */
    public void check() {
        long given = count();
        if (given != 1) {
            throw new UsageException((given == 0 ? "no prompt is given" : given + " prompts are given")
                    + "; accepted: exactly one of " + ACCEPTED);
        }
        if (tokens != null) {
            tokens();
        }
        if (prompt != null && prompt.isEmpty()) {
            throw UsageException.of("--prompt", "\"\"", "a text of at least one token");
        }
        if (prompt != null && !CommandLineText.isWhole(prompt)) {
            throw new UsageException("--prompt has bytes that are not UTF-8; accepted: UTF-8 text"
                    + " (one that has U+FFFD itself can come from --prompt-file)");
        }
    }

    /** Checks the prompt as a user's message in a chat, which may go without one where {@code optional}. */
    void checkMessage(boolean optional) {
        if (tokens != null) {
            throw new UsageException(
                    "--tokens is given with --chat; accepted: --prompt TEXT or --prompt-file FILE, which"
                            + " a user says");
        }
        if (count() > 0 || !optional) {
            check();
        }
    }

    /** Whether the prompt is standard input. */
    boolean readsInput() {
        return file != null && InputFile.isStandardInput(file);
    }

    /**
     * The prompt.
     *
     * @throws RefusedException if its file cannot be read, or is not UTF-8 text
     */
    public Prompt read(Console console) {
        check();
        if (tokens != null) {
            return tokens();
        }
        return prompt != null ? new Prompt.Text("--prompt", prompt) : new Prompt.Text("--prompt-file", text(console));
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
        return decode(input.read(console), input.name());
    }

    private static String decode(byte[] bytes, String name) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length);
        CoderResult result = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT)
                .decode(in, out, true);
        if (result.isError()) {
            throw new RefusedException(name
                    + " has the byte 0x%02x at place %d, which is not UTF-8; accepted: UTF-8 text"
                            .formatted(bytes[in.position()], in.position()));
        }
        return out.flip().toString();
    }
}
