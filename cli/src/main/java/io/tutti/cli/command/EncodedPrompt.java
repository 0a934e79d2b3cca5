package io.tutti.cli.command;

import io.tutti.cli.chat.ChatTemplates;
import io.tutti.cli.console.RefusedException;
import io.tutti.cli.console.UsageException;
import io.tutti.cli.option.Prompt;
import io.tutti.cli.option.TokenizerOption;
import io.tutti.engine.model.ModelConfig;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.TokenizerKind;
import io.tutti.modelio.tokenizer.LlamaPipeline;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.modelio.tokenizer.Tokenizers;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A prompt as the model takes it, checked before anything is loaded.
 *
 * @param tokens at least one, all in the vocabulary, no more than the context
 * @param tokenizer turns new tokens into text, where the model has one
 * @param notes what is odd about the tokenizer, or why there is no text although the model has one
 */
record EncodedPrompt(int[] tokens, Optional<Tokenizer> tokenizer, List<String> notes) implements AutoCloseable {

    /**
     * Encodes {@code prompt}; token ids need no tokenizer.
     *
     * @param needsText whether the run cannot do without text
     * @param pipeline what a LlamaTokenizer's text goes through
     */
    static EncodedPrompt of(
            Prompt prompt, boolean needsText, Path directory, ModelConfig config, LlamaPipeline pipeline) {
        EncodedPrompt encoded = switch (prompt) {
            case Prompt.Text text -> encode(prompt, text.text(), true, directory, config, pipeline);
            case Prompt.Chat chat -> encode(prompt, chat.text(), false, directory, config, pipeline);
            case Prompt.Tokens tokens
            when needsText -> of(tokens.ids(), Tokenizers.open(directory, config.text(), pipeline));
            case Prompt.Tokens tokens -> decodeIfPossible(tokens, directory, config, pipeline);
        };
        return encoded.checked(prompt, directory, config);
    }

    /** The tokens and the notes, for a run that makes no text. */
    static EncodedPrompt withoutText(Prompt prompt, Path directory, ModelConfig config, TokenizerOption option) {
        EncodedPrompt encoded;
        if (prompt instanceof Prompt.Tokens tokens) {
            option.refuseWithTokens();
            encoded = new EncodedPrompt(tokens.ids(), Optional.empty(), List.of()).checked(prompt, directory, config);
        } else {
            encoded = of(prompt, true, directory, config, option.of(directory, config));
        }
        try (encoded) {
            return new EncodedPrompt(encoded.tokens(), Optional.empty(), encoded.notes());
        }
    }

    private static EncodedPrompt of(int[] tokens, Tokenizer tokenizer) {
        return new EncodedPrompt(tokens, Optional.of(tokenizer), tokenizer.notes());
    }

    /** Text that is too long in any case is refused before it is encoded, which would take long too. */
    private static EncodedPrompt encode(
            Prompt prompt,
            String text,
            boolean addSpecial,
            Path directory,
            ModelConfig config,
            LlamaPipeline pipeline) {
        Tokenizer tokenizer = Tokenizers.open(directory, config.text(), pipeline);
        try {
            long least = tokenizer.leastTokens(text);
            if (least > config.context()) {
                throw tooLong(prompt, "at least " + least, directory, config);
            }
            return of(tokenizer.encode(text, addSpecial), tokenizer);
        } catch (RuntimeException | Error e) {
            tokenizer.close();
            throw e;
        }
    }

    private static EncodedPrompt decodeIfPossible(
            Prompt.Tokens prompt, Path directory, ModelConfig config, LlamaPipeline pipeline) {
        if (config.tokenizer() == TokenizerKind.NONE) {
            return new EncodedPrompt(prompt.ids(), Optional.empty(), List.of());
        }
        try {
            return of(prompt.ids(), Tokenizers.open(directory, config.text(), pipeline));
        } catch (ModelException e) {
            return new EncodedPrompt(
                    prompt.ids(), Optional.empty(), List.of("token ids in place of text: " + e.getMessage()));
        }
    }

    /** This, or a refusal, with which the tokenizer is closed. */
    private EncodedPrompt checked(Prompt prompt, Path directory, ModelConfig config) {
        try {
            check(prompt, directory, config);
            return this;
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void check(Prompt prompt, Path directory, ModelConfig config) {
        String option = prompt.option();
        if (tokens.length == 0) {
            throw prompt instanceof Prompt.Chat chat
                    ? ChatTemplates.writesNothing(chat.template())
                    : new UsageException(option + " gives no tokens with this model; accepted: at least one token");
        }
        for (int i = 0; i < tokens.length; i++) {
            if (tokens[i] < 0 || tokens[i] >= config.vocabSize()) {
                throw new RefusedException(option + " has the token id " + tokens[i] + " at place " + (i + 1)
                        + "; accepted: 0 to " + (config.vocabSize() - 1) + ", the vocabulary of " + directory);
            }
        }
        if (tokens.length > config.context()) {
            throw tooLong(prompt, String.valueOf(tokens.length), directory, config);
        }
    }

    private static RefusedException tooLong(Prompt prompt, String tokens, Path directory, ModelConfig config) {
        String written = prompt instanceof Prompt.Chat ? ", as the chat template writes it," : "";
        return new RefusedException(prompt.option() + written + " has " + tokens + " tokens; accepted: at most "
                + config.context() + ", the context of " + directory);
    }

    @Override
    public void close() {
        tokenizer.ifPresent(Tokenizer::close);
    }
}
