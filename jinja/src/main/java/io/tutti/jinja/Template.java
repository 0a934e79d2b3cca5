package io.tutti.jinja;

import java.time.Clock;
import java.util.List;
import java.util.Map;

/** A parsed template. It is immutable: any number of threads can render it, any number of times. */
public final class Template {
    private static final String TOO_DEEP = "it nests deeper than the stack of its thread holds";
    private static final String TOO_LARGE = "it needs more memory than Java's heap has left";

    private final List<Statement> statements;

    private Template(List<Statement> statements) {
        this.statements = statements;
    }

    /**
     * Parses {@code source}.
     *
     * @throws SyntaxException if it is not Jinja, or asks for another template (include, import, extends)
     * @throws LimitException if it nests too deep for the thread's stack, or is too large for the heap
     */
    public static Template parse(String source) {
        try {
            return new Template(Parser.parse(source));
        } catch (StackOverflowError e) {
            throw new LimitException(TOO_DEEP);
        } catch (OutOfMemoryError e) {
            // Whatever the parser had allocated is garbage by now.
            throw new LimitException(TOO_LARGE);
        }
    }

    /**
     * Renders this template.
     *
     * @param variables values by name: String, Long, BigInteger, Double, Boolean, null, and lists and maps of them; the
     *     template cannot change them
     * @param clock the time and time zone that {@code strftime_now} formats
     * @throws RaisedException if the template calls {@code raise_exception}
     * @throws LimitException if it reaches one of {@code limits}, or runs out of stack or heap
     * @throws JinjaException if anything else in it fails, such as the attribute of an undefined variable
     */
    public String render(Map<String, Object> variables, Clock clock, Limits limits) {
        try {
            Budget budget = new Budget(limits, System::nanoTime);
            Evaluator evaluator = new Evaluator(budget);
            Map<String, Object> names = Globals.of(budget, evaluator.texts(), clock);
            names.putAll(variables);
            return new Renderer(budget, evaluator).text(statements, Scope.of(names));
        } catch (StackOverflowError e) {
            throw new LimitException(TOO_DEEP);
        } catch (OutOfMemoryError e) {
            // Whatever the rendering had allocated is garbage by now.
            throw new LimitException(TOO_LARGE);
        }
    }
}
