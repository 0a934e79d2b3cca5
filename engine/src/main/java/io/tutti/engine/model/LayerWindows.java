package io.tutti.engine.model;

import io.tutti.engine.graph.Op.Attention;
import io.tutti.modelio.config.JsonFields;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;

/** The window of each layer's attention, from sliding_window and layer_types. */
final class LayerWindows {

    private static final int DEFAULT_WINDOW = 4096;
    private static final String FULL = "\"full_attention\"";
    private static final String SLIDING = "\"sliding_attention\"";

    private LayerWindows() {}

    /** sliding_window: a null is no window; without the key there is one. */
    static OptionalInt given(JsonFields fields) {
        OptionalInt given = fields.size("sliding_window");
        return given.isPresent() || fields.names("sliding_window") ? given : OptionalInt.of(DEFAULT_WINDOW);
    }

    /** Refuses layer_types other than full attention. */
    static IntUnaryOperator none(JsonFields fields, int layers) {
        return byType(fields, layers, OptionalInt.empty(), _ -> false);
    }

    /**
     * The window of each layer, or {@link Attention#WHOLE_CONTEXT}.
     *
     * @param window the one of sliding layers; without it, none may slide
     * @param slides which layers slide if there are no layer_types
     */
    static IntUnaryOperator byType(JsonFields fields, int layers, OptionalInt window, IntPredicate slides) {
        String each = " for each of the " + layers + " layers";
        String accepted = window.isPresent() ? FULL + " or " + SLIDING + each : FULL + each;
        Optional<List<String>> types = types(fields, layers, accepted);
        types.ifPresent(all -> {
            if (window.isEmpty() && all.contains(SLIDING)) {
                throw fields.refuse("layer_types", accepted);
            }
        });
        return layer -> window.isPresent()
                        && types.map(all -> all.get(layer).equals(SLIDING)).orElseGet(() -> slides.test(layer))
                ? window.getAsInt()
                : Attention.WHOLE_CONTEXT;
    }

    /** The same window for all layers, which layer_types may repeat. */
    static IntUnaryOperator everywhere(JsonFields fields, int layers, OptionalInt window) {
        String wanted = window.isPresent() ? SLIDING : FULL;
        String accepted = wanted + " for each of the " + layers + " layers";
        types(fields, layers, accepted).ifPresent(all -> {
            if (!all.stream().allMatch(wanted::equals)) {
                throw fields.refuse("layer_types", accepted);
            }
        });
        return _ -> window.orElse(Attention.WHOLE_CONTEXT);
    }

    private static Optional<List<String>> types(JsonFields fields, int layers, String accepted) {
        Optional<List<String>> types = fields.texts("layer_types", accepted)
                .map(all -> all.stream().map(type -> '"' + type + '"').toList());
        types.ifPresent(all -> {
            if (all.size() != layers || !List.of(FULL, SLIDING).containsAll(all)) {
                throw fields.refuse("layer_types", accepted);
            }
        });
        return types;
    }
}
