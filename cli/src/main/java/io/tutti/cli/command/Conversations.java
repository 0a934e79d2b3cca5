package io.tutti.cli.command;

import io.tutti.chat.Message;
import io.tutti.cli.chat.MessagesFile;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.UsageException;
import io.tutti.cli.option.ConversationOptions;
import io.tutti.runtime.Conversation;
import java.util.List;

/** The conversation that options give. */
final class Conversations {

    private Conversations() {}

    /**
     * The messages and the system prompt, either of which may be missing.
     *
     * @throws UsageException if there are two system prompts
     */
    static Conversation of(ConversationOptions options, Console console) {
        List<Message> messages = options.messages(console)
                .map(content -> MessagesFile.parse(content.file(), content.bytes()))
                .orElse(List.of());
        Conversation conversation = new Conversation(messages);
        if (options.system().isPresent()) {
            if (conversation.hasSystem()) {
                throw new UsageException(
                        "--system is given, and the first of --messages is a system prompt too; accepted: one of them");
            }
            conversation.setSystem(options.system());
        }
        return conversation;
    }
}
