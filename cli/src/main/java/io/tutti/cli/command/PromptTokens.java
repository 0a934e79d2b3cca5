package io.tutti.cli.command;

import io.tutti.cli.chat.ChatTemplates;
import io.tutti.cli.console.RefusedException;
import io.tutti.cli.console.UsageException;
import io.tutti.cli.option.Prompt;
import io.tutti.cli.option.TokenizerOption;
import io.tutti.runtime.ModelFiles;
import io.tutti.runtime.PromptException;
import io.tutti.runtime.PromptException.Kind;

/** Encodes prompts, and refuses in words of the command line. */
final class PromptTokens {

    private PromptTokens() {}

    /**
     * The tokens of {@code prompt}: at least one, all in the vocabulary, no more than the context. Token ids open the tokenizer
     * too, which is to decode what follows them.
     *
     * @param needsText whether the run cannot do without text
     */
    static int[] of(Prompt prompt, boolean needsText, ModelFiles files) {
        if (prompt instanceof Prompt.Tokens) {
            if (needsText) {
                files.tokenizer();
            } else {
                files.usableTokenizer();
            }
        }
        return encode(prompt, files);
    }

    /** The same for a run that makes no text. */
    static int[] withoutText(Prompt prompt, ModelFiles files, TokenizerOption option) {
        if (prompt instanceof Prompt.Tokens) {
            option.refuseWithTokens();
        } else {
            option.check(files.directory(), files.config());
        }
        return encode(prompt, files);
    }

    private static int[] encode(Prompt prompt, ModelFiles files) {
        try {
            return switch (prompt) {
                case Prompt.Text text -> files.encode(text.text(), true);
                case Prompt.Chat chat -> files.encode(chat.text(), false);
                case Prompt.Tokens tokens -> files.checked(tokens.ids());
            };
        } catch (PromptException e) {
            throw refusal(prompt, e);
        }
    }

    private static RuntimeException refusal(Prompt prompt, PromptException e) {
        if (e.kind() == Kind.EMPTY) {
            return prompt instanceof Prompt.Chat chat
                    ? ChatTemplates.writesNothing(chat.template())
                    : new UsageException(prompt.option() + " " + e.problem());
        }
        boolean rendered = prompt instanceof Prompt.Chat && e.kind() == Kind.TOO_LONG;
        String written = rendered ? ", as the chat template writes it," : "";
        return new RefusedException(prompt.option() + written + " " + e.problem(), e);
    }
}
