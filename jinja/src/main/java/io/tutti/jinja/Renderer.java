package io.tutti.jinja;

import io.tutti.jinja.Statement.Assign;
import io.tutti.jinja.Statement.AssignBlock;
import io.tutti.jinja.Statement.Branch;
import io.tutti.jinja.Statement.Break;
import io.tutti.jinja.Statement.CallBlock;
import io.tutti.jinja.Statement.Continue;
import io.tutti.jinja.Statement.Data;
import io.tutti.jinja.Statement.FilterBlock;
import io.tutti.jinja.Statement.For;
import io.tutti.jinja.Statement.If;
import io.tutti.jinja.Statement.MacroDefinition;
import io.tutti.jinja.Statement.Print;
import io.tutti.jinja.Statement.Scoped;
import io.tutti.jinja.Statement.With;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Executes statements. A loop, a macro and a block have a scope of their own; an if has none. */
final class Renderer {
    /** How a body ended. */
    private enum End {
        REACHED,
        BREAK,
        CONTINUE
    }

    private final Budget budget;
    private final Evaluator evaluator;

    Renderer(Budget budget, Evaluator evaluator) {
        this.budget = budget;
        this.evaluator = evaluator;
    }

    Evaluator evaluator() {
        return evaluator;
    }

    /** The output of {@code body}, whose assignments go to {@code scope}. */
    String text(List<Statement> body, Scope scope) {
        StringBuilder out = new StringBuilder();
        render(body, scope, out);
        return out.toString();
    }

    /** The output of a macro's body. */
    String call(Macro macro, Arguments arguments) {
        budget.enter();
        String text = text(macro.definition().body(), macro.bind(arguments));
        budget.leave();
        return text;
    }

    private End render(List<Statement> statements, Scope scope, StringBuilder out) {
        for (Statement statement : statements) {
            try {
                budget.step();
                End end = render(statement, scope, out);
                if (end != End.REACHED) {
                    return end;
                }
            } catch (JinjaException e) {
                throw e.at(statement.line());
            }
        }
        return End.REACHED;
    }

    private End render(Statement statement, Scope scope, StringBuilder out) {
        switch (statement) {
            case Data data -> append(out, data.text());
            case Print print -> append(out, evaluator.texts().str(evaluator.evaluate(print.expression(), scope)));
            case If conditional -> {
                return conditional(conditional, scope, out);
            }
            case For loop -> loop(loop, evaluator.evaluate(loop.iterable(), scope), scope, 0, out);
            case Break _ -> {
                return End.BREAK;
            }
            case Continue _ -> {
                return End.CONTINUE;
            }
            case Assign assign -> evaluator.assign(assign.target(), evaluator.evaluate(assign.value(), scope), scope);
            case AssignBlock assign -> {
                Object value = text(assign.body(), scope.inner());
                if (assign.filter().isPresent()) {
                    value = evaluator.blockFilters(assign.filter().get(), value, scope);
                }
                evaluator.assign(assign.target(), value, scope);
            }
            case With with -> {
                Scope inner = scope.inner();
                for (int i = 0; i < with.targets().size(); i++) {
                    evaluator.assign(
                            with.targets().get(i),
                            evaluator.evaluate(with.values().get(i), scope),
                            inner);
                }
                return render(with.body(), inner, out);
            }
            case FilterBlock block -> {
                Object filtered = evaluator.blockFilters(block.filter(), text(block.body(), scope.inner()), scope);
                append(out, evaluator.texts().str(filtered));
            }
            case MacroDefinition definition ->
                scope.set(definition.name(), new Macro(definition.name(), definition.macro(), scope, this));
            case CallBlock block -> {
                Arguments arguments = evaluator.arguments(block.call().arguments(), scope);
                Map<String, Object> named = new LinkedHashMap<>(arguments.named());
                named.put("caller", new Macro("", block.caller(), scope, this));
                Object function = evaluator.evaluate(block.call().function(), scope);
                Object result = evaluator.call(function, new Arguments(arguments.positional(), named));
                append(out, evaluator.texts().str(result));
            }
            case Scoped scoped -> {
                return render(scoped.body(), scope.inner(), out);
            }
        }
        return End.REACHED;
    }

    private void append(StringBuilder out, String text) {
        budget.fits((long) out.length() + text.length());
        budget.text(text.length());
        out.append(text);
    }

    private End conditional(If conditional, Scope scope, StringBuilder out) {
        for (Branch branch : conditional.branches()) {
            if (Types.truth(evaluator.evaluate(branch.test(), scope))) {
                return render(branch.body(), scope, out);
            }
        }
        return render(conditional.otherwise(), scope, out);
    }

    private void loop(For loop, Object iterable, Scope scope, long depth, StringBuilder out) {
        budget.enter();
        Iterator<Object> elements = Types.iterate(iterable);
        if (loop.condition().isPresent()) {
            elements = Iterators.filtered(elements, element -> {
                budget.step();
                Scope inner = scope.inner();
                evaluator.assign(loop.target(), element, inner);
                return Types.truth(evaluator.evaluate(loop.condition().get(), inner));
            });
        }
        Loop variable = new Loop(
                budget,
                evaluator.comparisons(),
                loop.condition().isPresent() ? new PythonGenerator(elements) : iterable,
                elements,
                loop.recursive() ? (inner, level) -> recursion(loop, inner, scope, level) : null,
                depth);
        boolean any = false;
        End end = End.REACHED;
        while (end != End.BREAK && variable.advance()) {
            budget.step();
            any = true;
            Scope inner = scope.inner();
            inner.set("loop", variable);
            evaluator.assign(loop.target(), variable.current(), inner);
            end = render(loop.body(), inner, out);
        }
        if (!any) {
            render(loop.otherwise(), scope.inner(), out);
        }
        budget.leave();
    }

    private String recursion(For loop, Object iterable, Scope scope, long depth) {
        StringBuilder out = new StringBuilder();
        loop(loop, iterable, scope, depth, out);
        return out.toString();
    }
}
