package io.tutti.jinja;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/**
 * Every filter, test, method, function and operator on every kind of value, sense or not: each renders or is refused by
 * {@link JinjaException}, and nothing else is thrown.
 */
class TemplateFuzzTest {
    private static final Limits LIMITS = new Limits(300_000, Duration.ofMinutes(1), 100_000, 50);

    /** A, B and C stand for values. */
    private static final List<String> EXPRESSIONS = Arrays.asList("""
            A|abs; A|capitalize; A|center(B); A|default(B); A|default(B, C); A|e; A|forceescape; A|float(B);
            A|format(B); A|format(B, C); A|indent(B); A|indent(B, C, true); A|int(B); A|int(B, C); A|lower;
            A|replace(B, C); A|replace('a', 'b', B); A|round(B); A|round(B, 'ceil'); A|safe; A|string; A|title;
            A|tojson; A|tojson(B); A|tojson(indent=B); A|tojson(separators=(B, C)); A|tojson(sort_keys=B);
            A|trim(B); A|truncate(B); A|truncate(B, C, B); A|truncate(B, true, C, B); A|urlencode; A|wordcount;
            A|attr(B); A|batch(B)|list; A|batch(B, C)|list; A|count; A|dictsort(B); A|dictsort(by=B); A|first;
            A|groupby(B)|list; A|items|list; A|join(B); A|join(B, C); A|last; A|list; A|map(B)|list;
            A|map(attribute=B)|list; A|map('round', B)|list; A|max; A|min(attribute=B); A|reject(B)|list;
            A|select(B, C)|list; A|selectattr(B)|list; A|selectattr(B, C)|list; A|selectattr(B, 'eq', C)|list;
            A|reverse|list; A|slice(B)|list; A|slice(B, C)|list; A|sort; A|sort(B, C); A|sort(attribute=B);
            A|sum(B); A|sum(start=B); A|unique|list; A|unique(attribute=B)|list; A + B; A - B; A * B; A / B;
            A // B; A % B; A ** B; A ~ B; A < B; A == B; A in B; A not in B; A[B]; A[B:]; A[:B]; A[::B]; A[B:C];
            A[B:C:-1]; A[B:C:A]; -A; not A; A is divisibleby(B); A is in(B); A is sameas(B); A is lower; A is odd;
            A is iterable; A is gt(B); A is filter; A is test; range(A); range(A, B)|list; range(A, B, C)|list;
            range(A, B, C)|last; dict(A); dict(**A); dict(*A); namespace(A); cycler(A).next(); joiner(A)();
            strftime_now(A); raise_exception(A); '{}'.format(A); '{:>{}}'.format(A, B); ('{:' ~ B ~ '}').format(A);
            ('%' ~ B ~ 'd') % A; ('%' ~ B ~ 's') % A; ('%.' ~ B ~ 'f') % A; '%*d' % (A, B); '%c' % A; '%s %s' % A;
            '%(a)s' % A; '%x' % A; '%e' % A; '%g' % A; A % (B, C); A.split(B); A.split(B, C); A.rsplit(B, C);
            A.split('a', B); A.splitlines(B); A.strip(B); A.lstrip(B); A.find(B); A.find('a', B);
            A.find('a', B, C); A.rfind('', B, C); A.index(B); A.rindex('a', B); A.count(B); A.count('', B, C);
            A.startswith(B); A.startswith('a', B, C); A.endswith(B); A.endswith('', B, C); A.replace(B, C);
            A.replace('a', 'b', B); A.replace('', 'b', B); A.center(B); A.center(B, C); A.ljust(B, C); A.rjust(B);
            A.zfill(B); A.expandtabs(B); A.join(B); A.partition(B); A.rpartition(B); A.title(); A.swapcase();
            A.removeprefix(B); A.removesuffix(B); A.translate(B); A.maketrans(B); A.encode(B); A.format(B);
            A.format_map(B); A.isdigit(); A.isalpha(); A.islower(); A.isidentifier(); A.get(B); A.get(B, C);
            A.items()|list; A.keys(); A.values()|first; A.copy(); A.x; A['x']; A.is_integer(); A.name; A(); A(B);
            A if B else C; [A, B]|sort; [A, B]|max; [A, B]|unique|list; [A, B]|sum; {A: B}; {A: B}[C];
            {A: B} == {B: A}; (A, B) < (B, A)""".split(";\\s+"));

    private static final List<String> VALUES = List.of(
            "10**30",
            "-10**30",
            "9223372036854775807",
            "-9223372036854775807 - 1",
            "2**31",
            "-2**31",
            "2147483647",
            "0",
            "1",
            "-1",
            "2.5",
            "1e308 * 10",
            "-1e308 * 10",
            "(1e308 * 10) - (1e308 * 10)",
            "0.0",
            "true",
            "none",
            "nope",
            "''",
            "'a'",
            "'aéb🎉\\n c'",
            "'\\ud83d'",
            "'%'",
            "'{'",
            "'{}'",
            "'1_0'",
            "'x' * 300",
            "[]",
            "[1, 'a', none]",
            "[[1], [2]]",
            "(1, 2)",
            "{}",
            "{'a': 1, 2: 'b'}",
            "[{'a': 1}, {'a': 'x'}]",
            "range(5)",
            "range(0)",
            "range",
            "namespace(a=1)",
            "{'a': 1}.items()",
            "[1, 2]|map('string')",
            "'<b>'|safe",
            "2**4000");

    @Property(tries = 6000, shrinking = ShrinkingMode.OFF)
    void everyExpressionOnAnyValuesRendersOrIsRefused(@ForAll("expressions") String expression) {
        try {
            Template.parse("{{ " + expression + " }}").render(Map.of(), Clock.systemUTC(), LIMITS);
        } catch (JinjaException e) {
            assertThat(e.getMessage()).isNotNull();
        }
    }

    @Provide
    Arbitrary<String> expressions() {
        Arbitrary<String> values = Arbitraries.of(VALUES);
        return Combinators.combine(Arbitraries.of(EXPRESSIONS), values, values, values)
                .as((expression, a, b, c) -> expression
                        .replace("A", "(" + a + ")")
                        .replace("B", "(" + b + ")")
                        .replace("C", "(" + c + ")"));
    }
}
