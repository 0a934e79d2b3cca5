package io.tutti.jinja;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Jinja's filters on lists, dicts and everything else that has elements. */
final class SequenceFilters {
    static final Set<String> NAMES = Set.of(
            "attr",
            "batch",
            "count",
            "dictsort",
            "first",
            "groupby",
            "items",
            "join",
            "last",
            "length",
            "list",
            "map",
            "max",
            "min",
            "reject",
            "rejectattr",
            "reverse",
            "select",
            "selectattr",
            "slice",
            "sort",
            "sum",
            "unique");

    private static final Set<String> WITHOUT_ARGUMENTS =
            Set.of("count", "first", "items", "last", "length", "list", "reverse");

    private final Budget budget;
    private final PythonText texts;
    private final Attributes attributes;
    private final Comparisons comparisons;
    private final Arithmetic arithmetic;
    private final Tests tests;

    SequenceFilters(
            Budget budget,
            PythonText texts,
            Attributes attributes,
            Comparisons comparisons,
            Arithmetic arithmetic,
            Tests tests) {
        this.budget = budget;
        this.texts = texts;
        this.attributes = attributes;
        this.comparisons = comparisons;
        this.arithmetic = arithmetic;
        this.tests = tests;
    }

    /** {@code input | name(arguments)}; map takes its filters from {@code filters}. */
    Object apply(String name, Object input, Arguments arguments, Filters filters) {
        if (WITHOUT_ARGUMENTS.contains(name)) {
            arguments.bind(name);
        }
        return switch (name) {
            case "attr" -> attributes.attributeOnly(input, Types.text(arguments.bindRequiring(1, name, "name")[0]));
            case "batch" -> generator(() -> batch(input, arguments));
            case "count", "length" -> length(input);
            case "dictsort" -> dictSort(input, arguments);
            case "first" -> {
                Iterator<Object> elements = Types.iterate(input);
                yield elements.hasNext() ? elements.next() : new Undefined("No first item, sequence was empty.");
            }
            case "groupby" -> groupBy(input, arguments);
            case "items" -> generator(() -> items(input));
            case "join" -> join(input, arguments);
            case "last" -> {
                Iterator<Object> elements = reversed(input).iterator();
                yield elements.hasNext() ? elements.next() : new Undefined("No last item, sequence was empty.");
            }
            case "list" -> Types.listOf(input, budget);
            case "map" -> generator(() -> map(input, arguments, filters));
            case "max", "min" -> extreme(name, input, arguments);
            case "reject", "select" -> generator(() -> select(input, arguments, name.equals("select"), false));
            case "rejectattr", "selectattr" ->
                generator(() -> select(input, arguments, name.equals("selectattr"), true));
            case "reverse" -> reverse(input);
            case "slice" -> generator(() -> slice(input, arguments));
            case "sort" -> sort(input, arguments);
            case "sum" -> sum(input, arguments);
            case "unique" -> generator(() -> unique(input, arguments));
            default -> throw new IllegalArgumentException("no filter of sequences: " + name);
        };
    }

    /** {@code len(input)}. */
    long length(Object input) {
        return Types.length(input)
                .orElseThrow(() ->
                        new JinjaException("object of type " + PythonText.quoted(Types.name(input)) + " has no len()"));
    }

    /** Computes nothing before the first element is requested; an error of the input waits until then too. */
    private static PythonGenerator generator(Supplier<Iterator<Object>> elements) {
        return new PythonGenerator(Iterators.deferred(elements));
    }

    private Iterator<Object> batch(Object input, Arguments arguments) {
        Object[] bound = arguments.bindRequiring(1, "batch", "linecount", "fill_with");
        long size = Types.integer(bound[0]);
        Object fill = Arguments.or(bound[1], null);
        List<Object> batches = new ArrayList<>();
        List<Object> batch = new ArrayList<>();
        for (Object element : Types.listOf(input, budget)) {
            if (batch.size() == size) {
                batches.add(batch);
                batch = new ArrayList<>();
            }
            batch.add(element);
        }
        if (!batch.isEmpty()) {
            fill(batch, fill, size);
            batches.add(batch);
        }
        return batches.iterator();
    }

    private void fill(List<Object> list, Object filler, long size) {
        while (filler != null && list.size() < size) {
            budget.step();
            list.add(filler);
        }
    }

    private Iterator<Object> slice(Object input, Arguments arguments) {
        Object[] bound = arguments.bindRequiring(1, "slice", "slices", "fill_with");
        Object fill = Arguments.or(bound[1], null);
        List<Object> elements = Types.listOf(input, budget);
        long slices = Types.integer(bound[0]);
        if (slices == 0) {
            throw new JinjaException("integer division or modulo by zero");
        }
        budget.steps(slices);
        List<Object> cut = new ArrayList<>();
        long each = elements.size() / slices;
        long longer = elements.size() % slices;
        int from = 0;
        for (long i = 0; i < slices; i++) {
            int to = (int) (from + each + (i < longer ? 1 : 0));
            List<Object> part = new ArrayList<>(elements.subList(from, to));
            if (fill != null && i >= longer) {
                part.add(fill);
            }
            cut.add(part);
            from = to;
        }
        return cut.iterator();
    }

    private List<Object> dictSort(Object input, Arguments arguments) {
        Object[] bound = arguments.bind("dictsort", "case_sensitive", "by", "reverse");
        boolean caseSensitive = Types.truth(Arguments.or(bound[0], false));
        Object by = Arguments.or(bound[1], "key");
        if (!"key".equals(by) && !"value".equals(by)) {
            throw new JinjaException("You can only sort by either \"key\" or \"value\"");
        }
        if (!(input instanceof Map<?, ?> map)) {
            throw input instanceof Undefined undefined
                    ? undefined.raised()
                    : new JinjaException(PythonText.quoted(Types.name(input)) + " object has no attribute 'items'");
        }
        List<Object> items = Types.listOf(new DictView(DictView.Kind.ITEMS, map), budget);
        int position = "key".equals(by) ? 0 : 1;
        return sorted(
                items,
                item -> folded(((Tuple) item).items().get(position), caseSensitive),
                Types.truth(Arguments.or(bound[2], false)));
    }

    private List<Object> sort(Object input, Arguments arguments) {
        Object[] bound = arguments.bind("sort", "reverse", "case_sensitive", "attribute");
        boolean caseSensitive = Types.truth(Arguments.or(bound[1], false));
        Object attribute = Arguments.or(bound[2], null);
        UnaryOperator<Object> key = item -> {
            List<Object> parts = new ArrayList<>();
            for (Object path : attribute instanceof String names ? names.split(",", -1) : new Object[] {attribute}) {
                parts.add(folded(attributeOf(item, path), caseSensitive));
            }
            return parts;
        };
        return sorted(Types.listOf(input, budget), key, Types.truth(Arguments.or(bound[0], false)));
    }

    /** A stable sort, also in reverse. */
    private List<Object> sorted(List<Object> elements, UnaryOperator<Object> key, boolean reverse) {
        record Keyed(Object key, Object element) {}
        Comparator<Keyed> order = (a, b) -> comparisons.compare("<", a.key, b.key);
        return new ArrayList<>(elements.stream()
                .map(element -> new Keyed(key.apply(element), element))
                .sorted(reverse ? order.reversed() : order)
                .map(Keyed::element)
                .toList());
    }

    private Object attributeOf(Object item, Object path) {
        return path == null ? item : attributes.path(item, path, null);
    }

    private static Object folded(Object value, boolean caseSensitive) {
        return !caseSensitive && Types.isText(value) ? Types.text(value).toLowerCase(Locale.ROOT) : value;
    }

    private List<Object> groupBy(Object input, Arguments arguments) {
        Object[] bound = arguments.bindRequiring(1, "groupby", "attribute", "default", "case_sensitive");
        boolean caseSensitive = Types.truth(Arguments.or(bound[2], false));
        Object otherwise = Arguments.or(bound[1], null);
        UnaryOperator<Object> value = item -> attributes.path(item, bound[0], otherwise);
        List<Object> groups = new ArrayList<>();
        List<Object> group = new ArrayList<>();
        Object last = null;
        for (Object item :
                sorted(Types.listOf(input, budget), item -> folded(value.apply(item), caseSensitive), false)) {
            Object key = folded(value.apply(item), caseSensitive);
            if (group.isEmpty() || !comparisons.equal(last, key)) {
                group = new ArrayList<>();
                groups.add(new Tuple(java.util.Arrays.asList(value.apply(item), group), List.of("grouper", "list")));
                last = key;
            }
            group.add(item);
        }
        return groups;
    }

    private static Iterator<Object> items(Object input) {
        return switch (input) {
            case Undefined _ -> Collections.emptyIterator();
            case Map<?, ?> map -> new DictView(DictView.Kind.ITEMS, map).iterator();
            case null, default -> throw new JinjaException("Can only get item pairs from a mapping.");
        };
    }

    private String join(Object input, Arguments arguments) {
        Object[] bound = arguments.bind("join", "d", "attribute");
        String separator = texts.str(Arguments.or(bound[0], ""));
        Object attribute = Arguments.or(bound[1], null);
        StringBuilder out = new StringBuilder();
        boolean first = true;
        for (Iterator<Object> elements = Types.iterate(input); elements.hasNext(); first = false) {
            budget.step();
            String text = texts.str(attributeOf(elements.next(), attribute));
            budget.fits((long) out.length() + separator.length() + text.length());
            out.append(first ? "" : separator).append(text);
        }
        return budget.text(out.toString());
    }

    private Iterator<Object> map(Object input, Arguments arguments, Filters filters) {
        if (!Types.truth(input)) {
            return Collections.emptyIterator();
        }
        List<Object> positional = arguments.positional();
        if (positional.isEmpty() && arguments.named().containsKey("attribute")) {
            Map<String, Object> named = new LinkedHashMap<>(arguments.named());
            Object path = named.remove("attribute");
            Object otherwise = named.remove("default");
            if (!named.isEmpty()) {
                throw new JinjaException("Unexpected keyword argument "
                        + PythonText.quoted(named.keySet().iterator().next()));
            }
            return Iterators.mapped(Types.iterate(input), item -> {
                budget.step();
                return attributes.path(item, path, otherwise);
            });
        }
        if (positional.isEmpty()) {
            throw new JinjaException("map requires a filter argument");
        }
        String filter = Types.text(positional.getFirst());
        Arguments rest = new Arguments(positional.subList(1, positional.size()), arguments.named());
        return Iterators.mapped(Types.iterate(input), item -> {
            budget.step();
            return filters.apply(filter, item, rest);
        });
    }

    private Iterator<Object> select(Object input, Arguments arguments, boolean wanted, boolean byAttribute) {
        if (!Types.truth(input)) {
            return Collections.emptyIterator();
        }
        List<Object> positional = arguments.positional();
        if (byAttribute && positional.isEmpty()) {
            throw new JinjaException("Missing parameter for attribute name");
        }
        int used = byAttribute ? 1 : 0;
        boolean byTest = positional.size() > used;
        String test = byTest ? Types.text(positional.get(used)) : "";
        Arguments rest = byTest
                ? new Arguments(positional.subList(used + 1, positional.size()), arguments.named())
                : Arguments.NONE;
        return Iterators.filtered(Types.iterate(input), item -> {
            budget.step();
            Object value = byAttribute ? attributes.path(item, positional.getFirst(), null) : item;
            return (byTest ? tests.apply(test, value, rest) : Types.truth(value)) == wanted;
        });
    }

    private Object extreme(String name, Object input, Arguments arguments) {
        Object[] bound = arguments.bind(name, "case_sensitive", "attribute");
        boolean caseSensitive = Types.truth(Arguments.or(bound[0], false));
        Object attribute = Arguments.or(bound[1], null);
        String operator = name.equals("max") ? ">" : "<";
        Iterator<Object> elements = Types.iterate(input);
        if (!elements.hasNext()) {
            return new Undefined("No aggregated item, sequence was empty.");
        }
        Object best = elements.next();
        while (elements.hasNext()) {
            Object element = elements.next();
            if (comparisons.holds(
                    operator,
                    folded(attributeOf(element, attribute), caseSensitive),
                    folded(attributeOf(best, attribute), caseSensitive))) {
                best = element;
            }
        }
        return best;
    }

    private Object reverse(Object input) {
        if (Types.isText(input)) {
            String text = Types.text(input);
            String reversed = budget.text(new StringBuilder(text).reverse().toString());
            return input instanceof Markup ? new Markup(reversed) : reversed;
        }
        return new PythonGenerator(
                (input instanceof PythonGenerator ? Types.listOf(input, budget).reversed() : reversed(input))
                        .iterator());
    }

    /** {@code reversed(input)}, which refuses a generator. */
    private List<Object> reversed(Object input) {
        if (input instanceof PythonGenerator) {
            throw new JinjaException("'generator' object is not reversible");
        }
        return Types.listOf(input, budget).reversed();
    }

    private Object sum(Object input, Arguments arguments) {
        Object[] bound = arguments.bind("sum", "attribute", "start");
        Object attribute = Arguments.or(bound[0], null);
        Object sum = Arguments.or(bound[1], 0L);
        if (Types.isText(sum)) {
            throw new JinjaException("sum() can't sum strings [use ''.join(seq) instead]");
        }
        for (Iterator<Object> elements = Types.iterate(input); elements.hasNext(); ) {
            budget.step();
            sum = arithmetic.apply("+", sum, attributeOf(elements.next(), attribute));
        }
        return sum;
    }

    private Iterator<Object> unique(Object input, Arguments arguments) {
        Object[] bound = arguments.bind("unique", "case_sensitive", "attribute");
        boolean caseSensitive = Types.truth(Arguments.or(bound[0], false));
        Object attribute = Arguments.or(bound[1], null);
        Set<Object> seen = new HashSet<>();
        return Iterators.filtered(Types.iterate(input), item -> {
            budget.step();
            return seen.add(Comparisons.key(folded(attributeOf(item, attribute), caseSensitive)));
        });
    }
}
