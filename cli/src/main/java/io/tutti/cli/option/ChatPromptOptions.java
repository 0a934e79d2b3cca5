package io.tutti.cli.option;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.UsageException;
import picocli.CommandLine.Option;

/** A prompt that the model's chat template makes. */
public final class ChatPromptOptions extends ConversationOptions {

    @Option(
            names = "--chat",
            description = "Answer as in a chat: the prompt is what a user says, and the model's chat template is put"
                    + " around it.")
    private boolean chat;

    /** Whether the chat template makes the prompt. */
    public boolean chat() {
        return chat;
    }

    /**
     * Checks these options together with the prompt, as far as that is possible without reading it.
     *
     * @throws UsageException if they do not go together
     */
    public void check(PromptOptions prompts, Console console) {
        if (!chat) {
            given().ifPresent(option -> {
                throw new UsageException(
                        option + " is given without --chat; accepted: with --chat, which applies the chat template");
            });
            prompts.check(console);
            return;
        }
        var _ = templateVariables();
        prompts.checkMessage(givesMessages(), console);
        if (readsInput() && prompts.readsInput()) {
            throw new UsageException("--messages and --prompt-file are both - (standard input); accepted: one of them");
        }
    }
}
