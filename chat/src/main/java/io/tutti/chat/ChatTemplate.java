package io.tutti.chat;

import io.tutti.chat.TemplateFiles.Source;
import io.tutti.jinja.JinjaException;
import io.tutti.jinja.Limits;
import io.tutti.jinja.Template;
import io.tutti.modelio.ModelException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/** A checkpoint's own chat template, which turns a conversation into the prompt that the model was trained on. */
public final class ChatTemplate {
    private static final String TOOL_USE = "tool_use";

    /** What an assistant's reasoning is called; the first is the usual name. */
    private static final List<String> REASONING = List.of("reasoning_content", "thinking", "reasoning");

    private final TemplateFiles files;
    private final Clock clock;
    private final Limits limits;

    ChatTemplate(TemplateFiles files, Clock clock, Limits limits) {
        this.files = files;
        this.clock = clock;
        this.limits = limits;
    }

    /**
     * The template of the model in {@code directory}, in transformers' order: {@code chat_template.jinja} with {@code
     * additional_chat_templates/*.jinja}, then {@code chat_template} in {@code tokenizer_config.json} (one, or a list
     * of named ones), then {@code chat_template.json}. Empty if there is none.
     *
     * @throws ModelException if one of these files cannot be read
     */
    public static Optional<ChatTemplate> find(Path directory) {
        TemplateFiles files = TemplateFiles.read(directory);
        return files.templates().isEmpty()
                ? Optional.empty()
                : Optional.of(new ChatTemplate(files, Clock.system(ZoneId.systemDefault()), Limits.DEFAULT));
    }

    /** This template with {@code clock} as the time that {@code strftime_now} tells; else it is the system's. */
    public ChatTemplate withClock(Clock clock) {
        return new ChatTemplate(files, clock, limits);
    }

    /** Where the template is from, for messages: a file, and a key if the file holds other things too. */
    public String place() {
        return source(false).place();
    }

    /** Whether the template's text has a word that is {@code name}: without it a variable of that name changes nothing. */
    public boolean mentions(String name) {
        return Pattern.compile("\\b" + Pattern.quote(name) + "\\b")
                .matcher(source(false).text())
                .find();
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
     *     message), goes beyond the bounds on time, output and nesting, or writes what is no Unicode text
     */
    public String render(
            List<Message> messages,
            List<Map<String, Object>> tools,
            boolean addGenerationPrompt,
            Map<String, Object> variables) {
        if (messages.isEmpty()) {
            throw new IllegalArgumentException("a conversation has at least one message");
        }
        Source source = source(!tools.isEmpty());
        Map<String, Object> names = new LinkedHashMap<>(files.specialTokens());
        names.putAll(variables);
        names.put(
                "messages",
                messages.stream().map(ChatTemplate::asTemplatesReadIt).toList());
        names.put("tools", tools.isEmpty() ? null : tools);
        names.put("documents", null);
        names.put("add_generation_prompt", addGenerationPrompt);
        String prompt;
        try {
            prompt = Template.parse(source.text()).render(names, clock, limits);
        } catch (JinjaException e) {
            throw ChatTemplateException.of(source.place(), e);
        }
        HalfPairs.problem(prompt).ifPresent(problem -> {
            throw new ChatTemplateException(source.place() + ": what it writes " + problem);
        });
        return prompt;
    }

    private Source source(boolean forTools) {
        Source toolUse = files.templates().get(TOOL_USE);
        Source source =
                forTools && toolUse != null ? toolUse : files.templates().get(TemplateFiles.DEFAULT);
        if (source == null) {
            String place = files.templates().values().iterator().next().place();
            throw new ChatTemplateException(place + ": is no default; needed is a template named "
                    + ModelException.quote(TemplateFiles.DEFAULT) + " beside it");
        }
        return source;
    }

    /** Without fields that are null, and with the reasoning under every name that templates look for. */
    private static Map<String, Object> asTemplatesReadIt(Message message) {
        Map<String, Object> given = new LinkedHashMap<>(message.fields());
        given.values().removeIf(Objects::isNull);
        Optional<Object> reasoning =
                REASONING.stream().map(given::get).filter(Objects::nonNull).findFirst();
        if (reasoning.isEmpty()) {
            return given;
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("thinking", reasoning.get());
        fields.putAll(given);
        fields.put("reasoning_content", reasoning.get());
        return fields;
    }
}
