package io.tutti.cli.chat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.UsageException;
import io.tutti.cli.option.Numbers;
import io.tutti.cli.option.SamplingText;
import io.tutti.cli.option.Seed;
import io.tutti.cli.option.TemplateVariable;
import io.tutti.cli.option.WhenFullText;
import io.tutti.runtime.AnswerSettings;
import io.tutti.runtime.generate.SamplingParameter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** {@code /set NAME VALUE}: what the option {@code --NAME} says, from here on. */
final class SetCommand {

    private static final String WORD = "/set";
    private static final String MAX_TOKENS = "max-tokens";
    private static final String SEED = "seed";
    private static final String TEMPLATE_VARIABLE = "template-var";
    private static final String WHEN_FULL = "when-full";

    /** Ollama's and llama.cpp's names, where they are not ours with underscores. */
    private static final Map<String, String> FOREIGN = Map.of(
            "temp",
            "temperature",
            "num-predict",
            MAX_TOKENS,
            "repeat-penalty",
            "repetition-penalty",
            "think",
            TEMPLATE_VARIABLE + " enable_thinking=true",
            "nothink",
            TEMPLATE_VARIABLE + " enable_thinking=false");

    private SetCommand() {}

    /** {@code settings} as {@code argument} changes them: a name, and its value. */
    static AnswerSettings change(AnswerSettings settings, String argument) {
        String[] typed = argument.replaceFirst("^parameter\\s+", "").split("\\s+", 2);
        String spelled = typed[0].replace('_', '-');
        String[] words = FOREIGN.getOrDefault(spelled, spelled).split(" ", 2);
        if (words.length > 1 && typed.length > 1) {
            throw UsageException.of(
                    WORD + " " + typed[0], OneLine.quote(typed[1]), WORD + " " + typed[0] + " without a value");
        }
        String name = words[0];
        String value = words.length > 1 ? words[1] : typed.length > 1 ? typed[1].strip() : "";
        String option = WORD + " " + name;
        Optional<SamplingParameter> parameter = SamplingParameter.of(name);
        if (parameter.isPresent()) {
            return settings.withSampling(
                    parameter.get().set(settings.sampling(), SamplingText.parse(parameter.get(), option, value)));
        }
        return switch (name) {
            case SEED -> settings.withSeed(Seed.parse(option, value).value());
            case MAX_TOKENS -> settings.withMaxTokens(Numbers.maxTokens(option, value));
            case WHEN_FULL -> settings.withWhenFull(WhenFullText.parse(option, value));
            case TEMPLATE_VARIABLE -> settings.withVariables(variables(settings.variables(), option, value));
            default ->
                throw new UsageException(WORD + " " + OneLine.quote(typed[0]) + " is not known; accepted: " + names());
        };
    }

    /** With the variable that {@code NAME=VALUE} is; NAME alone takes it out. */
    private static Map<String, Object> variables(Map<String, Object> before, String option, String text) {
        Map<String, Object> variables = new LinkedHashMap<>(before);
        if (variables.containsKey(text)) {
            variables.remove(text);
        } else {
            TemplateVariable variable = TemplateVariable.parse(option, text);
            variables.put(variable.name(), variable.value());
        }
        return variables;
    }

    private static String names() {
        return Arrays.stream(SamplingParameter.values())
                        .map(SamplingParameter::word)
                        .collect(Collectors.joining(", ")) + ", "
                + String.join(", ", SEED, MAX_TOKENS, WHEN_FULL, TEMPLATE_VARIABLE) + ", system";
    }

    /** What is set, one name and its value a line. */
    static List<String> values(AnswerSettings settings) {
        List<String> lines = new ArrayList<>();
        for (SamplingParameter parameter : SamplingParameter.values()) {
            lines.add(line(parameter.word(), SamplingText.text(parameter, settings.sampling())));
        }
        lines.add(line(SEED, Long.toUnsignedString(settings.seed())));
        int most = settings.maxTokens().orElse(Integer.MAX_VALUE);
        lines.add(line(MAX_TOKENS, most == Integer.MAX_VALUE ? "-1" : String.valueOf(most)));
        lines.add(line(WHEN_FULL, WhenFullText.word(settings.whenFull())));
        settings.variables().forEach((name, value) -> lines.add(line(TEMPLATE_VARIABLE, name + "=" + json(value))));
        return lines;
    }

    private static String line(String name, String value) {
        return "  %-19s %s".formatted(name, value);
    }

    private static String json(Object value) {
        try {
            return new ObjectMapper().writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
