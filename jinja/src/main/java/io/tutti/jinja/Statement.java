package io.tutti.jinja;

import java.util.List;
import java.util.Optional;

/** One step of a template: text, a printed expression, or a tag. */
sealed interface Statement {
    /** The line of the template where it begins, from 1. */
    int line();

    record Data(String text, int line) implements Statement {}

    /** {@code {{ expression }}}. */
    record Print(Expression expression, int line) implements Statement {}

    record If(List<Branch> branches, List<Statement> otherwise, int line) implements Statement {}

    record Branch(Expression test, List<Statement> body) {}

    record For(
            Expression target,
            Expression iterable,
            Optional<Expression> condition,
            boolean recursive,
            List<Statement> body,
            List<Statement> otherwise,
            int line)
            implements Statement {}

    record Break(int line) implements Statement {}

    record Continue(int line) implements Statement {}

    record Assign(Expression target, Expression value, int line) implements Statement {}

    /** {@code {% set target | filter %}body{% endset %}}. */
    record AssignBlock(Expression target, Optional<Expression> filter, List<Statement> body, int line)
            implements Statement {}

    record With(List<Expression> targets, List<Expression> values, List<Statement> body, int line)
            implements Statement {}

    record FilterBlock(Expression filter, List<Statement> body, int line) implements Statement {}

    record MacroDefinition(String name, MacroBody macro, int line) implements Statement {}

    /** {@code {% call(parameters) macro(…) %}body{% endcall %}}: the macro gets the body as its caller. */
    record CallBlock(Expression.Call call, MacroBody caller, int line) implements Statement {}

    /** A body with its own scope, printed in place: block, generation, autoescape false. */
    record Scoped(List<Statement> body, int line) implements Statement {}

    /**
     * Parameters and body of a macro.
     *
     * @param uses which of {@code caller}, {@code varargs} and {@code kwargs} the body mentions
     */
    record MacroBody(List<Parameter> parameters, List<Statement> body, List<String> uses) {}

    record Parameter(String name, Optional<Expression> defaultValue) {}
}
