package io.tutti.jinja;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What transformers' Jinja2 made of golden's templates, and what we make of them. */
class GoldenTemplatesTest {
    private static final Map<String, Object> GOLDEN = golden();
    private static final Map<String, Object> VARIABLES = map(GOLDEN.get("variables"));
    private static final Clock CLOCK =
            Clock.fixed(LocalDateTime.parse((String) GOLDEN.get("now")).toInstant(ZoneOffset.UTC), ZoneOffset.UTC);

    static List<Map<String, Object>> cases() {
        return maps(GOLDEN.get("cases"));
    }

    static List<Map<String, Object>> rendered() {
        return cases().stream().filter(golden -> golden.containsKey("text")).toList();
    }

    static List<Map<String, Object>> refused() {
        return cases().stream().filter(golden -> golden.containsKey("error")).toList();
    }

    @ParameterizedTest
    @MethodSource("rendered")
    void templatesRenderAsJinjaRendersThem(Map<String, Object> golden) {
        assertThat(outcome((String) golden.get("template"))).isEqualTo(golden.get("text"));
    }

    /** The text, or words that no text has: an error is an outcome too, and not the one that is wanted. */
    private static String outcome(String template) {
        try {
            return Template.parse(template).render(VARIABLES, CLOCK, Limits.DEFAULT);
        } catch (JinjaException e) {
            return "refused: " + e.getMessage();
        }
    }

    @ParameterizedTest
    @MethodSource("refused")
    void whatJinjaRefusesIsRefused(Map<String, Object> golden) {
        boolean ofTheTemplate = golden.get("error").equals("TemplateError");

        assertThatThrownBy(
                        () -> Template.parse((String) golden.get("template")).render(VARIABLES, CLOCK, Limits.DEFAULT))
                .isInstanceOf(ofTheTemplate ? RaisedException.class : JinjaException.class)
                .hasMessageContaining(ofTheTemplate ? (String) golden.get("message") : "");
    }

    @Test
    void goldenHasCasesOfEveryKind() {
        assertThat(rendered()).hasSizeGreaterThan(150);
        assertThat(refused()).hasSizeGreaterThan(80);
    }

    private static Map<String, Object> golden() {
        Path file = Path.of(System.getProperty("tutti.golden"), "vectors", "chat-templates.json");
        try {
            return map(withLongs(new ObjectMapper().readValue(file.toFile(), Object.class)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@code value} with templates' integers in place of Jackson's small ones. */
    private static Object withLongs(Object value) {
        return switch (value) {
            case Integer number -> number.longValue();
            case List<?> list ->
                list.stream().map(GoldenTemplatesTest::withLongs).collect(Collectors.toCollection(ArrayList::new));
            case Map<?, ?> map -> {
                Map<Object, Object> fields = new LinkedHashMap<>();
                map.forEach((key, field) -> fields.put(key, withLongs(field)));
                yield fields;
            }
            case null, default -> value;
        };
    }

    @SuppressWarnings("unchecked") // Jackson's objects have text for keys.
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked") // The file holds lists of objects here.
    private static List<Map<String, Object>> maps(Object value) {
        return (List<Map<String, Object>>) value;
    }
}
