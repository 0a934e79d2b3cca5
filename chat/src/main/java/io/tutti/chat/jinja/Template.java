package io.tutti.chat.jinja;

import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A template that has been parsed, and can be rendered any number of times. */
public final class Template {
    private static final String TOO_DEEP = "is stopped: it nests deeper than the stack of its thread holds";
    private static final String TOO_LARGE = "is stopped: it needs more memory than Java's heap has left";

    private final List<Statement> statements;

    private Template(List<Statement> statements) {
        this.statements = statements;
    }

    /**
     * Parses {@code source}.
     *
     * @throws JinjaException if it is no Jinja, or loads other templates
     */
    public static Template parse(String source) {
        try {
            return new Template(Parser.parse(source));
        } catch (StackOverflowError e) {
            throw new JinjaException(TOO_DEEP);
        } catch (OutOfMemoryError e) {
            // What it had made is garbage by now.
            throw new JinjaException(TOO_LARGE);
        }
    }

    /**
     * Renders this template.
     *
     * @param variables plain values by name: String, Long, BigInteger, Double, Boolean, null, and lists and maps of
     *     them
     * @param clock what {@code strftime_now} tells
     * @throws JinjaException if the template raises it, fails, or reaches one of {@code limits}
     */
    public String render(Map<String, Object> variables, Clock clock, Limits limits) {
        try {
            Budget budget = new Budget(limits, System::nanoTime);
            Evaluator evaluator = new Evaluator(budget);
            Map<String, Object> names = Globals.of(budget, evaluator.texts(), clock);
            names.putAll(variables);
            Scope scope = Scope.of(new HashMap<>(names));
            return new Renderer(budget, evaluator).text(statements, scope);
        } catch (StackOverflowError e) {
            throw new JinjaException(TOO_DEEP);
        } catch (OutOfMemoryError e) {
            // What it had made is garbage by now.
            throw new JinjaException(TOO_LARGE);
        }
    }
}
