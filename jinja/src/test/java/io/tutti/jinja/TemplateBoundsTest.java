package io.tutti.jinja;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Duration;
import java.util.AbstractMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Templates come from strangers: none runs for ever, fills the memory, or reaches anything but its variables. */
class TemplateBoundsTest {
    private static final Limits SMALL = new Limits(200_000, Duration.ofMinutes(1), 100_000, 50);

    private static final Map<String, Object> VARIABLES =
            Map.of("n", 7L, "messages", List.of(Map.of("role", "user", "content", "a")));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
                "{% for a in range(100000) if range(100000)|select('gt', a)|list %}{% endfor %}",
                "{% for a in range(100000) %}{% set x = (range(100000)|list) == (range(100000)|list) %}{% endfor %}",
                "{% for a in range(100000) %}{% set x = 1 in range(100000) %}{% endfor %}",
                "{% for a in range(100000) %}{% set x = range(100000)|sort %}{% endfor %}",
                "{% set ns = namespace(l=[1]) %}{% for a in range(100) %}{% set ns.l = ns.l + ns.l %}{% endfor %}",
                "{% set l = [0] * 10**9 %}",
                "{% set l = 10**9 * (0,) %}",
                "{% set t = ('a' * 50000) %}{% for a in range(100000) %}{{ t.find('ab') }}{% endfor %}",
                "{{ ('a' * 50000 ~ 'b') in ('a' * 99000) }}",
                "{% for a in range(100000) %}{% set x = ('a b ' * 9000).split() %}{% endfor %}",
                "{% macro f(n) %}{% for i in [1, 2] %}{{ f(n + 1) if n < 20 }}{% endfor %}{% endmacro %}{{ f(0) }}",
            })
    void aTemplateThatGoesOnAndOnIsStopped(String template) {
        stopped(template, "is stopped: it takes more than 200000 steps");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{% for a in range(100000) %}aaaaaaaaaa{% endfor %}",
                "{% set ns = namespace(s='a') %}{% for a in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
                "{% set ns = namespace(s='a') %}{% for a in range(100) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
                "{{ 'a' * 10**9 }}",
                "{{ 10**15 * 'ab' }}",
                "{{ 'a'.center(10**9) }}",
                "{{ 'a'.ljust(10**18) }}",
                "{{ 'a'|center(10**9) }}",
                "{{ '7'.zfill(10**9) }}",
                "{{ '1234567'.zfill(2**63 - 1) }}",
                "{{ '\t'.expandtabs(10**9) }}",
                "{{ '%999999999d' % 1 }}",
                "{{ '{:>999999999}'.format(1) }}",
                "{{ ('a' * 9999).replace('a', 'b' * 9999) }}",
                "{{ ('a' * 9999).replace('', 'b' * 9999) }}",
                "{{ ('b' * 50000).join(['', '', '', '']) }}",
                "{{ ['', '', '', '']|join('b' * 50000) }}",
                "{{ ('a\n' * 9999)|indent(9999) }}",
                "{{ 'a'|indent(10**9, first=true) }}",
                "{{ [1, [2]]|tojson(indent=10**9) }}",
                "{{ [1, [2]]|tojson(indent='  ' * 40000) }}",
                "{{ ['a' * 99999, 1]|tojson }}",
                "{{ ['a' * 99999, 1] }}",
                "{{ [range(20000)|list] * 1000 }}",
                "{{ ('&' * 50000)|e }}",
                "{% set x %}{% for a in range(100000) %}aaaaaaaaaa{% endfor %}{% endset %}",
                "{% filter upper %}{% for a in range(100000) %}aaaaaaaaaa{% endfor %}{% endfilter %}",
                "{{ strftime_now('%c' * 40000) }}",
            })
    void aTemplateThatWritesAndWritesIsStopped(String template) {
        stopped(template, "is stopped: it writes a text of more than 100000 characters");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
                "{% macro f(a=f()) %}{% endmacro %}{% macro g() %}{{ f() ~ g() }}{% endmacro %}{{ g() }}",
                "{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}",
                "{% set ns = namespace(l=[]) %}{% for a in range(999) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l }}",
                "{% set ns = namespace(l=[]) %}{% for a in range(999) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l|tojson }}",
                "{% set ns = namespace() %}{% set ns.me = ns %}{{ ns }}",
                "{% set a = namespace(l=[]) %}{% set b = namespace(l=[]) %}{% for i in range(999) %}"
                        + "{% set a.l = [a.l] %}{% set b.l = [b.l] %}{% endfor %}{{ a.l == b.l }}",
            })
    void aTemplateThatNestsWithoutEndIsStopped(String template) {
        stopped(template, "is stopped: it nests more than 50 levels deep");
    }

    @Test
    void expressionsAndBlocksNestOnlySoDeep() {
        refused("{{ " + "(".repeat(5000) + "1" + ")".repeat(5000) + " }}", "nest more than 200 levels deep");
        refused("{{ " + "[".repeat(5000) + "]".repeat(5000) + " }}", "nest more than 200 levels deep");
        refused("{{ " + "-".repeat(5000) + "1 }}", "nest more than 200 levels deep");
        refused("{% if 1 %}".repeat(5000), "nest more than 100 levels deep");
        stopped("{{ 1" + " + 1".repeat(200_000) + " }}", "is stopped: it ");
        stopped("{{ m" + ".a".repeat(200_000) + " }}", "is stopped: it ");
    }

    @Test
    void numbersKeysAndRangesStayWithinBounds() {
        stopped("{{ range(10**9)|length }}", "is stopped: range() gives more than 100000 numbers");
        stopped("{{ range(-(10**30), 10**30) }}", "is stopped: range() gives more than 100000 numbers");
        stopped("{{ 10**(10**10) }}", "is stopped: it computes a number of more than 65536 bits");
        stopped("{{ 10**(10**30) }}", "is stopped: it computes a number of more than 65536 bits");
        refused("{{ 2**30000 }}", "a number of more than 4300 digits");
        stopped("{{ {(1,) * 1000: 1} }}", "is stopped: it has a key of more than 100 elements");
        stopped(
                "{% set ns = namespace(t=(1,)) %}{% for i in range(99) %}{% set ns.t = (ns.t, ns.t) %}{% endfor %}"
                        + "{{ {}.get(ns.t) }}",
                "is stopped: it has a key of more than 100 elements");
    }

    @Test
    void aLongNumberIsOneOfManyDigitsAndNoNesting() {
        refused("\n{{ " + "9".repeat(1_000_000) + " }}", 2, "a number of more than 4300 digits");
        refused("{{ 0x" + "f".repeat(1_000_000) + " }}", 1, "a number of more than 4300 digits");
        refused("{{ 1" + "_1".repeat(500_000) + " }}", 1, "a number of more than 4300 digits");
        String numbers = "{{ 0x" + "f".repeat(4000) + " > 10**4000 }} {{ 1" + "_1".repeat(4000) + " % 10 }} {{ 1.5"
                + "_5".repeat(100_000) + " }}";
        assertThat(render(numbers, SMALL)).isEqualTo("True 1 1.5555555555555556");
    }

    /** A megabyte of one construct each: within the default bounds it renders, or is refused in one line. */
    @ParameterizedTest
    @Timeout(60)
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            quoteCharacter = '`',
            value = {
                "{% if n == 1 %}|{% elif n == 1 %}x|{% else %}y{% endif %}|y",
                "|{% if n == 7 %}{% else %}x{% endif %}||",
                "|{% if n %}||blocks nest more than 100 levels deep",
                "|{% if n %}{% else %}||blocks nest more than 100 levels deep",
                "|{% for a in [1, 2, 3] %}||blocks nest more than 100 levels deep",
                "|{% macro f() %}||blocks nest more than 100 levels deep",
                "|{% macro f() %}a{% endmacro %}|{{ f() }}|a",
                "{{ |(|1|expressions nest more than 200 levels deep",
                "{{ |{1: |1|expressions nest more than 200 levels deep",
                "{{ 1|`|abs`| }}|is stopped: it nests deeper than the stack",
                "{{ |not |1 }}|is stopped: it nests deeper than the stack",
                "{{ n|[0]| }}|is stopped: it nests deeper than the stack",
                "{{ 1| if 1| }}|is stopped: it nests deeper than the stack",
                "{{ (1|~1|)[:1] }}|1",
                "{{ (''| '1'|)[:1] }}|1",
                "{{ (1|<1|) }}|False",
                "|{#|#}||",
                "|{||expressions nest more than 200 levels deep",
            })
    void aMegabyteOfAnyConstructEndsWithinTheBounds(String begin, String repeated, String end, String outcome) {
        String template = Objects.toString(begin, "")
                + repeated.repeat(1_000_000 / repeated.length())
                + Objects.toString(end, "");
        String text;
        try {
            text = render(template, Limits.DEFAULT);
        } catch (JinjaException e) {
            text = e.getMessage();
        }
        assertThat(text)
                .contains(Objects.toString(outcome, ""))
                .hasSizeLessThan(1000)
                .doesNotContain("\n");
    }

    @Test
    void whatATemplateKeepsCostsStepsByItsSize() {
        String loop = "{% for i in range(100) %}";
        stopped(loop + "{% set l = ('a' * 1000)|list %}{% endfor %}", "is stopped: it takes more than 200000 steps");
        stopped(loop + "{% set l = ('a ' * 500).split() %}{% endfor %}", "is stopped: it takes more than 200000 steps");
        stopped(
                loop + "{% set l = [" + "i, ".repeat(500) + "] %}{% endfor %}",
                "is stopped: it takes more than 200000 steps");
        stopped(
                loop + "{% set l = {" + "i: i, ".repeat(400) + "} %}{% endfor %}",
                "is stopped: it takes more than 200000 steps");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "t|wordcount",
                "t|int",
                "t|float",
                "t is lower",
                "t.isdigit()",
                "t.strip()",
                "t.startswith(t)",
                "t[5]",
                "t[7:8]",
                "(t|length)",
            })
    void lookingThroughALongTextCostsStepsByItsLength(String expression) {
        stopped(
                "{% set t = '1' * 99000 %}{% for i in range(400) %}{% set x = " + expression + " %}{% endfor %}",
                "is stopped: it takes more than 200000 steps");
    }

    /** A step count that goes below zero, or past the largest long, would never end anything. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{{ ('a'|indent(-(10**18))) }}",
                "{{ 1 ** (2**63) }}",
                "{{ [1]|slice(-(10**30))|list }}",
                "{{ 'a'.center(-(10**30)) }}",
                "{{ [1] * -(10**30) }}",
            })
    void nothingThatATemplateComputesGivesItMoreSteps(String credit) {
        stopped(
                credit + "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
                "is stopped: it takes more than 200000 steps");
    }

    @Test
    void amountsBeyondAllBoundsAreRefusedAtOnce() {
        stopped("{{ [1]|slice(10**30)|list }}", "is stopped: it takes more than 200000 steps");
        stopped("{{ [1]|batch(10**30, 'x')|list }}", "is stopped: it takes more than 200000 steps");
        stopped("{{ (-2) ** (10**30) }}", "is stopped: it computes a number of more than 65536 bits");
        stopped("{{ (-2) ** (2**63) }}", "is stopped: it computes a number of more than 65536 bits");
    }

    /** Java's sort throws where an order contradicts itself, if there are enough elements to notice. */
    @Test
    void whatIsNotANumberCanBeSorted() {
        String sorted =
                "{% set nan = 1e308 * 10 - 1e308 * 10 %}{% set l = (range(40)|list + [nan, -1, nan, 3.5]) * 3 %}"
                        + "{{ (l|sort)[:2] }}{{ (l|sort)[-7:] }}{{ (l|sort(reverse=true))[6:8] }}{{ l|min }}";

        assertThat(render(sorted, SMALL)).isEqualTo("[-1, -1][39, nan, nan, nan, nan, nan, nan][39, 39]-1");
    }

    @Test
    void aTemplateThatFillsTheHeapIsStopped() {
        Map<String, Object> full = new AbstractMap<>() {
            @Override
            public Set<Entry<String, Object>> entrySet() {
                throw new OutOfMemoryError("Java heap space");
            }
        };
        Template template = Template.parse("{{ full|length }}");

        assertThatThrownBy(() -> template.render(Map.of("full", full), Clock.systemUTC(), SMALL))
                .isInstanceOf(LimitException.class)
                .hasMessage("is stopped: it needs more memory than Java's heap has left");
    }

    @Test
    void timeIsBoundedTooShouldStepsBeSlow() {
        Limits noTime = new Limits(Long.MAX_VALUE, Duration.ofSeconds(-1), 100, 50);

        stopped("{% for a in range(1000) %}{% endfor %}", noTime, "is stopped: it takes more than -1 seconds");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{{ ''.getClass() }}",
                "{{ ''.class.forName('java.lang.Runtime') }}",
                "{{ messages.getClass().getName() }}",
                "{{ messages.stream() }}",
                "{{ messages[0].entrySet() }}",
                "{{ n.longValue() }}",
                "{{ range.call() }}",
                "{{ namespace().attributes() }}",
                "{{ strftime_now.getClass() }}",
                "{{ ''['getClass']() }}",
                "{{ ''|attr('getClass')() }}",
                "{{ [messages]|map(attribute='class.name')|first }}{{ messages.class.name }}",
                "{{ loop.x() }}",
                "{% for a in [1] %}{{ loop.elements() }}{% endfor %}",
                "{% macro m() %}{% endmacro %}{{ m.renderer() }}",
                "{{ ''.__class__.__mro__ }}",
                "{{ messages.append(1) }}",
                "{{ messages[0].update({}) }}",
                "{% set messages[0].role = 'x' %}",
                "{% set n.x = 1 %}",
                "{% include 'other' %}",
                "{% import 'other' as other %}",
                "{% from 'other' import x %}",
                "{% extends 'other' %}",
                "{{ self.x() }}",
                "{{ lipsum() }}",
            })
    void aTemplateReachesNothingButItsVariables(String template) {
        assertThatThrownBy(() -> render(template, SMALL)).isInstanceOf(JinjaException.class);
    }

    @Test
    void whatVariablesHoldIsTextAndNoTemplate() {
        String text = "{{ raise_exception('x') }}{% include 'y' %}{#";

        assertThat(Template.parse("{{ text }}|{{ '{{ n }}' }}").render(Map.of("text", text), Clock.systemUTC(), SMALL))
                .isEqualTo(text + "|{{ n }}");
    }

    private static void stopped(String template, String problem) {
        stopped(template, SMALL, problem);
    }

    private static void stopped(String template, Limits limits, String problem) {
        assertThatThrownBy(() -> render(template, limits))
                .isInstanceOf(LimitException.class)
                .hasMessageStartingWith(problem);
    }

    private static void refused(String template, String problem) {
        assertThatThrownBy(() -> render(template, SMALL))
                .isInstanceOf(JinjaException.class)
                .hasMessageContaining(problem);
    }

    private static void refused(String template, int line, String problem) {
        assertThatExceptionOfType(JinjaException.class)
                .isThrownBy(() -> render(template, SMALL))
                .withMessage(problem)
                .returns(line, JinjaException::line);
    }

    private static String render(String template, Limits limits) {
        return Template.parse(template).render(VARIABLES, Clock.systemUTC(), limits);
    }
}
