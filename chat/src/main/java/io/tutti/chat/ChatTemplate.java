package io.tutti.chat;

import io.tutti.chat.TemplateFiles.Source;
import io.tutti.modelio.ModelException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A checkpoint's own chat template, which turns a conversation into the prompt that the model was trained on. */
public final class ChatTemplate {
    private static final String TOOL_USE = "tool_use";

    private final TemplateFiles files;
    private final Clock clock;

    private ChatTemplate(TemplateFiles files, Clock clock) {
        this.files = files;
        this.clock = clock;
    }

    /**
     * The template of the model in {@code directory}, in transformers' order: {@code chat_template.jinja} with {@code
     * additional_chat_templates/*.jinja}, then {@code chat_template} in {@code tokenizer_config.json} (one, or a list of
     * named ones), then {@code chat_template.json}. Empty if there is none.
     *
     * @throws ModelException if one of these files cannot be read
     */
    public static Optional<ChatTemplate> find(Path directory) {
        TemplateFiles files = TemplateFiles.read(directory);
        return files.templates().isEmpty()
                ? Optional.empty()
                : Optional.of(new ChatTemplate(files, Clock.system(ZoneId.systemDefault())));
    }

    /** This template with {@code clock} as the time that {@code strftime_now} tells; else it is the system's. */
    public ChatTemplate withClock(Clock clock) {
        return new ChatTemplate(files, clock);
    }

    /** The prompt of {@code messages}, without tools or further variables. */
    public String render(List<Message> messages, boolean addGenerationPrompt) {
        return render(messages, List.of(), addGenerationPrompt, Map.of());
    }

    /**
     * The prompt of a conversation. It holds the special tokens that the template writes, the first one included, so it
     * is to be encoded without adding any.
     *
     * @param messages at least one
     * @param tools JSON schemas of functions, each a plain map as {@link Message#fields}; none is an empty list
     * @param addGenerationPrompt whether the prompt ends where the assistant's answer begins
     * @param variables further variables of the template, such as {@code enable_thinking}; they win over special tokens
     * @throws ChatTemplateException if the template is no Jinja, refuses the conversation (its own words are in the
     *     message), or goes beyond the bounds on time, output and nesting
     */
    public String render(
            List<Message> messages,
            List<Map<String, Object>> tools,
            boolean addGenerationPrompt,
            Map<String, Object> variables) {
        Source source = files.templates().get(tools.isEmpty() ? TemplateFiles.DEFAULT : TOOL_USE);
        if (source == null) {
            throw new ChatTemplateException("no default template", null);
        }
        throw new UnsupportedOperationException("not yet: " + messages + clock + addGenerationPrompt + variables);
    }
}
