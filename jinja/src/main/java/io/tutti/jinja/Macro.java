package io.tutti.jinja;

import io.tutti.jinja.Statement.MacroBody;
import io.tutti.jinja.Statement.Parameter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A macro, or the body of a call block. It sees the names of the scope that defines it. */
record Macro(String name, MacroBody definition, Scope outer, Renderer renderer) implements Callable {
    private static final String CALLER = "caller";

    @Override
    public Object call(Arguments arguments) {
        return renderer.call(this, arguments);
    }

    /** A new scope for the body, with the macro's parameters set. */
    Scope bind(Arguments arguments) {
        Scope scope = outer.inner();
        Map<String, Object> named = new LinkedHashMap<>(arguments.named());
        List<Parameter> parameters = definition.parameters();
        List<Object> positional = arguments.positional();
        for (int i = 0; i < parameters.size(); i++) {
            String parameter = parameters.get(i).name();
            if (i < positional.size()) {
                scope.set(parameter, positional.get(i));
            } else if (named.containsKey(parameter)) {
                scope.set(parameter, named.remove(parameter));
            } else {
                scope.set(
                        parameter,
                        parameters
                                .get(i)
                                .defaultValue()
                                .map(value -> renderer.evaluator().evaluate(value, scope))
                                .orElseGet(() -> new Undefined(
                                        "parameter " + PythonText.quoted(parameter) + " was not provided")));
            }
        }
        bindSpecialNames(scope, named, positional);
        return scope;
    }

    private void bindSpecialNames(Scope scope, Map<String, Object> named, List<Object> positional) {
        int taken = Math.min(positional.size(), definition.parameters().size());
        if (definition.uses().contains(CALLER) && !isParameter(CALLER)) {
            Object caller = named.remove(CALLER);
            scope.set(CALLER, caller == null ? new Undefined("No caller defined") : caller);
        }
        if (definition.uses().contains("kwargs") && !isParameter("kwargs")) {
            scope.set("kwargs", named);
        } else if (!named.isEmpty()) {
            throw new JinjaException("macro " + PythonText.quoted(name) + " takes no keyword argument "
                    + PythonText.quoted(named.keySet().iterator().next()));
        }
        if (definition.uses().contains("varargs") && !isParameter("varargs")) {
            scope.set("varargs", new Tuple(new ArrayList<>(positional.subList(taken, positional.size()))));
        } else if (positional.size() > taken) {
            throw new JinjaException(
                    "macro " + PythonText.quoted(name) + " takes not more than " + taken + " argument(s)");
        }
    }

    private boolean isParameter(String special) {
        return definition.parameters().stream()
                .anyMatch(parameter -> parameter.name().equals(special));
    }

    /** An attribute, or {@link Arguments#MISSING}. */
    Object attribute(String attribute) {
        return switch (attribute) {
            case "name" -> name;
            case "arguments" ->
                new Tuple(definition.parameters().stream()
                        .map(parameter -> (Object) parameter.name())
                        .toList());
            case "catch_kwargs" -> definition.uses().contains("kwargs");
            case "catch_varargs" -> definition.uses().contains("varargs");
            case CALLER -> definition.uses().contains(CALLER);
            default -> Arguments.MISSING;
        };
    }

    @Override
    public String toString() {
        return "<Macro " + (name.isEmpty() ? "anonymous" : PythonText.quoted(name)) + ">";
    }
}
