package io.tutti.cli.option;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.RefusedException;
import io.tutti.cli.console.UsageException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** The prompt: exactly one of three ways to give it. */
public final class PromptOptions {

    private static final String ACCEPTED = "--prompt TEXT, --prompt-file FILE or --tokens IDS";
    private static final String STANDARD_INPUT = "-";
    /** Far more than any context; a file larger than this is a mistake. */
    private static final int MOST_BYTES = 1 << 28;

    @Option(
            names = "--prompt",
            paramLabel = "TEXT",
            description =
                    "The prompt. It is encoded as it is, with the tokenizer's special tokens and no chat template.")
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
                .filter(name -> !name.equals(STANDARD_INPUT))
                .map(name -> ModelOption.path("--prompt-file", name));
    }

    private Prompt tokens() {
        if (tokens.isBlank()) {
            throw UsageException.of("--tokens", "\"\"", "at least one token id, such as 1,2,3");
        }
        return new Prompt.Tokens("--tokens", Numbers.tokens("--tokens", tokens));
    }

    private String text(Console console) {
        String name = file.equals(STANDARD_INPUT) ? "--prompt-file - (standard input)" : "--prompt-file " + file;
        byte[] bytes = bytes(console, name);
        if (bytes.length == 0) {
            throw new RefusedException(name + " is empty; accepted: UTF-8 text of at least one token");
        }
        if (bytes.length > MOST_BYTES) {
            throw new RefusedException(name + " is too long; accepted: at most " + MOST_BYTES + " bytes");
        }
        return decode(bytes, name);
    }

    private byte[] bytes(Console console, String name) {
        try {
            if (file.equals(STANDARD_INPUT)) {
                return console.readInput(MOST_BYTES);
            }
            Path path = ModelOption.path("--prompt-file", file);
            if (Files.isDirectory(path)) {
                throw new RefusedException(
                        name + " is a directory; accepted: a file of UTF-8 text, or - for standard input");
            }
            try (InputStream in = Files.newInputStream(path)) {
                return in.readNBytes(MOST_BYTES + 1);
            }
        } catch (IOException e) {
            String reason = switch (e) {
                case NoSuchFileException _ -> "no such file";
                case AccessDeniedException _ -> "permission denied";
                default -> e.getMessage();
            };
            throw new RefusedException(
                    name + ": " + reason + "; accepted: a file of UTF-8 text, or - for standard input", e);
        }
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
