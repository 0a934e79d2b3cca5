package io.tutti.cli.option;

import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.UsageException;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.json.PlainJson;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A variable that a chat template may read, beside the conversation.
 *
 * @param value a plain value as {@link PlainJson} makes them; may be null
 */
public record TemplateVariable(String name, Object value) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z_0-9]*");

    /** What the conversation itself gives to every template. */
    private static final Set<String> TAKEN = Set.of("messages", "tools", "documents", "add_generation_prompt");

    /**
     * The variable in {@code text}, as {@code NAME=VALUE}. The value is JSON, or Python's True, False or None; else it is text.
     *
     * @param option what gives it, for the message
     * @throws UsageException if it has no such form, or the name is the conversation's own
     */
    public static TemplateVariable parse(String option, String text) {
        int equals = text.indexOf('=');
        if (equals < 0) {
            throw UsageException.of(
                    option, OneLine.quote(text), "NAME=VALUE, such as enable_thinking=false or reasoning_effort=low");
        }
        String name = text.substring(0, equals);
        if (!NAME.matcher(name).matches()) {
            throw UsageException.of(
                    option, OneLine.quote(text), "NAME=VALUE with a name of letters, digits and underscores");
        }
        if (TAKEN.contains(name)) {
            throw UsageException.of(
                    option,
                    OneLine.quote(text),
                    "a name that the conversation does not give itself, as it does " + name);
        }
        return new TemplateVariable(name, value(option, text.substring(equals + 1)));
    }

    private static Object value(String option, String text) {
        if (!CommandLineText.isWhole(text)) {
            throw new UsageException(option + " has bytes that are not UTF-8; accepted: UTF-8 text without U+FFFD");
        }
        return switch (text) {
            case "True" -> true;
            case "False" -> false;
            case "None" -> null;
            default -> json(text);
        };
    }

    private static Object json(String text) {
        try {
            return PlainJson.value(Path.of("value"), text.getBytes(StandardCharsets.UTF_8));
        } catch (ModelException _) {
            return text;
        }
    }
}
