package io.tutti.jinja;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a caller can rely on, the language itself apart: variables, the clock, reuse, and the types of errors. */
class TemplateTest {
    private static final Clock NOON = Clock.fixed(Instant.parse("2024-07-26T12:30:00Z"), ZoneOffset.UTC);

    @Test
    void variablesAreJavasPlainValues() {
        Map<String, Object> variables = new HashMap<>();
        variables.put("text", "é");
        variables.put("small", 7L);
        variables.put("big", BigInteger.TEN.pow(30));
        variables.put("real", 0.5);
        variables.put("yes", true);
        variables.put("nothing", null);
        variables.put("list", Arrays.asList(1L, null));
        variables.put("map", Map.of("key", List.of("value")));

        assertThat(render(
                        "{{ text }} {{ small }} {{ big }} {{ real }} {{ yes }} {{ nothing }} {{ list }} {{ map }}",
                        variables))
                .isEqualTo("é 7 " + "1" + "0".repeat(30) + " 0.5 True None [1, None] {'key': ['value']}");
    }

    @Test
    void oneTemplateRendersManyTimesAndKeepsNothing() {
        Template template = Template.parse("{{ seen is defined }}{% set seen = n %}{{ seen }}");

        assertThat(template.render(Map.of("n", 1L), NOON, Limits.DEFAULT)).isEqualTo("False1");
        assertThat(template.render(Map.of("n", 2L), NOON, Limits.DEFAULT)).isEqualTo("False2");
    }

    @Test
    void aVariableHidesTheFunctionOfItsName() {
        assertThat(render("{{ range }}", Map.of("range", "mine"))).isEqualTo("mine");
    }

    @Test
    void strftimeNowFormatsTheClockInItsZone() {
        Template template = Template.parse("{{ strftime_now('%d %H:%M') }}");

        assertThat(template.render(Map.of(), NOON, Limits.DEFAULT)).isEqualTo("26 12:30");
        assertThat(template.render(Map.of(), NOON.withZone(ZoneOffset.ofHours(14)), Limits.DEFAULT))
                .isEqualTo("27 02:30");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\n{{ 1 + }}",
                "\n{% if yes %}",
                "\n{{ 'open",
                "\n{{ '\\x' }}",
                "\n{# open",
                "\n{{ 1|nofilter }}",
                "\n{{ 1 is notest }}",
                "\n{% include 'other' %}",
            })
    void whatIsNotJinjaIsRefusedWhenItIsParsed(String source) {
        assertThatExceptionOfType(SyntaxException.class)
                .isThrownBy(() -> Template.parse(source))
                .returns(2, JinjaException::line);
    }

    @Test
    void whatATemplateRaisesHasItsOwnWords() {
        assertThatExceptionOfType(RaisedException.class)
                .isThrownBy(() -> render("\n\n{{ raise_exception('Roles must\\nalternate') }}", Map.of()))
                .withMessage("Roles must\nalternate")
                .returns(3, JinjaException::line);
    }

    @Test
    void aLimitStopsARendering() {
        Template template = Template.parse("{% for i in range(9) %}\n{{ i }}{% endfor %}");

        assertThatExceptionOfType(LimitException.class)
                .isThrownBy(() -> template.render(Map.of(), NOON, new Limits(1000, Duration.ofMinutes(1), 5, 10)))
                .withMessage("is stopped: it writes a text of more than 5 characters");
    }

    @Test
    void anyOtherFailureIsAPlainJinjaException() {
        assertThatExceptionOfType(JinjaException.class)
                .isThrownBy(() -> render("\n{% if true %}\n{{ nobody.name }}{% endif %}", Map.of()))
                .withMessage("'nobody' is undefined")
                .returns(3, JinjaException::line)
                .returns(JinjaException.class, JinjaException::getClass);
    }

    @Test
    void aValueOfAnotherTypeIsTheCallersMistake() {
        assertThatThrownBy(() -> render("{{ n }}", Map.of("n", 7)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("java.lang.Integer");
    }

    private static String render(String source, Map<String, Object> variables) {
        return Template.parse(source).render(variables, NOON, Limits.DEFAULT);
    }
}
