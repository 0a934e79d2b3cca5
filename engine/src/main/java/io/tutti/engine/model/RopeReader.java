package io.tutti.engine.model;

import io.tutti.engine.graph.RopeScaling;
import io.tutti.engine.graph.RopeScaling.Llama3;
import io.tutti.engine.graph.RopeScaling.Yarn;
import io.tutti.modelio.config.JsonFields;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Rotary positions from wherever the file's version of transformers wrote them: rope_theta at the top and the kind in
 * rope_scaling (4), or both in rope_parameters (5), the kind being called rope_type or, in old files, type. A
 * rope_scaling that is not empty replaces rope_parameters, as in transformers 5; a theta, kind or original context that
 * two places give differently is refused.
 */
final class RopeReader {
    private static final double DEFAULT_BETA_FAST = 32;
    private static final double DEFAULT_BETA_SLOW = 1;

    private static final double MIN_RATIO = 1e-6;

    private static final String OLD_KEY = "rope_scaling";
    private static final String KEY = "rope_parameters";
    private static final String ORIGINAL_CONTEXT = "original_max_position_embeddings";
    private static final String PASSED_OVER = "config.json: rope_scaling counts, rope_parameters beside it does not";

    private static final String KINDS = "\"default\", \"linear\", \"llama3\" or \"yarn\"";
    private static final String SCALING = "null, or an object with a rope_type of " + KINDS;
    private static final String FACTOR = "a number from 1 to 1e6";
    private static final String POSITIVE = "a positive number up to 1e6";

    private final JsonFields fields;
    private final int maxPositionEmbeddings;
    private final double defaultTheta;
    private Optional<Double> theta;

    private RopeReader(JsonFields fields, int maxPositionEmbeddings, double defaultTheta) {
        this.fields = fields;
        this.defaultTheta = defaultTheta;
        this.maxPositionEmbeddings = maxPositionEmbeddings;
        requireWholeRotary(fields);
        theta = theta(fields);
    }

    /** What config.json says. */
    static Rotary read(JsonFields fields, int maxPositionEmbeddings, double defaultTheta) {
        return new RopeReader(fields, maxPositionEmbeddings, defaultTheta).read();
    }

    private Rotary read() {
        Optional<JsonFields> old = parameters(OLD_KEY);
        Optional<JsonFields> current = parameters(KEY);
        Optional<JsonFields> counting = old.or(() -> current);
        if (counting.isEmpty()) {
            return new Rotary(theta.orElse(defaultTheta), maxPositionEmbeddings);
        }
        JsonFields rope = counting.get();
        takeTheta(rope);
        RopeScaling scaling = scaling(old.isPresent() ? OLD_KEY : KEY, rope);
        boolean passedOver =
                old.isPresent() && current.isPresent() && !old.get().says(current.get());
        return new Rotary(
                theta.orElse(defaultTheta),
                scaling,
                context(rope, scaling),
                passedOver ? List.of(PASSED_OVER) : List.of());
    }

    /** The object under {@code key}, unless it is empty. */
    private Optional<JsonFields> parameters(String key) {
        return fields.fields(key, SCALING).filter(inner -> !inner.isEmpty());
    }

    /**
     * Positions that a text may have. People add linear and YaRN scaling to a trained model by hand and often leave
     * max_position_embeddings as it was, so the original context times the factor counts if it is more. llama3 comes with
     * the training, and max_position_embeddings with it.
     */
    private Context context(JsonFields rope, RopeScaling scaling) {
        int stretched = switch (scaling) {
            case RopeScaling.Linear linear ->
                RopeScaling.stretched(
                        rope.wholeNumber(ORIGINAL_CONTEXT)
                                .or(() -> fields.wholeNumber(ORIGINAL_CONTEXT))
                                .orElse(maxPositionEmbeddings),
                        linear.factor());
            case Yarn yarn -> RopeScaling.stretched(yarn.originalMaxPositionEmbeddings(), yarn.factor());
            case RopeScaling.Default _, Llama3 _ -> 0;
        };
        int positions = Math.max(maxPositionEmbeddings, stretched);
        int longest = scaling instanceof Llama3 llama3
                ? Math.max(positions, RopeScaling.stretched(llama3.originalMaxPositionEmbeddings(), llama3.factor()))
                : positions;
        return new Context(maxPositionEmbeddings, positions, longest);
    }

    private void takeTheta(JsonFields rope) {
        Optional<Double> inner = theta(rope);
        if (theta.isPresent() && inner.isPresent() && !theta.equals(inner)) {
            throw rope.refuse("rope_theta", "the other rope_theta of the file, " + theta.get());
        }
        theta = theta.or(() -> inner);
    }

    private RopeScaling scaling(String key, JsonFields rope) {
        // transformers 5 nests one object for each kind of attention layer where these differ.
        if (rope.nests()) {
            throw fields.refuse(key, "one set of parameters for all layers");
        }
        requireWholeRotary(rope);
        Optional<String> ropeType = rope.text("rope_type", KINDS);
        Optional<String> type = rope.text("type", KINDS);
        if (ropeType.isPresent() && type.isPresent() && !ropeType.equals(type)) {
            throw rope.refuse("type", "the rope_type beside it, \"" + ropeType.get() + '"');
        }
        if (ropeType.isEmpty() && type.isEmpty() && rope.has("factor")) {
            throw fields.refuse(key, SCALING);
        }
        String kindKey = ropeType.isPresent() ? "rope_type" : "type";
        return switch (ropeType.or(() -> type).orElse("default")) {
            case "default" -> RopeScaling.NONE;
            case "linear" -> new RopeScaling.Linear(requiredFactor(rope));
            case "llama3" -> llama3(rope);
            case "yarn" -> yarn(rope);
            case "dynamic", "longrope", "su" ->
                throw rope.refuse(
                        kindKey,
                        KINDS + "; its frequencies change with the length, so cached keys would no longer be right");
            default -> throw rope.refuse(kindKey, KINDS);
        };
    }

    private Llama3 llama3(JsonFields rope) {
        double low = number(rope, "low_freq_factor", POSITIVE).orElseThrow(() -> rope.missing("low_freq_factor"));
        double high = number(rope, "high_freq_factor", POSITIVE).orElseThrow(() -> rope.missing("high_freq_factor"));
        if (!(high > low)) {
            throw rope.refuse("high_freq_factor", "more than low_freq_factor = " + low);
        }
        return new Llama3(requiredFactor(rope), low, high, originalContext(rope).orElse(maxPositionEmbeddings));
    }

    private Yarn yarn(JsonFields rope) {
        if (theta.orElse(defaultTheta) == 1) {
            throw (rope.has("rope_theta") ? rope : fields).refuse("rope_theta", "more than 1 with rope_type \"yarn\"");
        }
        OptionalInt given = originalContext(rope);
        int original = given.orElse(maxPositionEmbeddings);
        double ratio = (double) maxPositionEmbeddings / original;
        // transformers takes the ratio for a null, and for an absent factor only where the original context is given.
        boolean ratioCounts = rope.isNull("factor") ? ratio >= MIN_RATIO : given.isPresent() && ratio >= 1;
        double factor = factor(rope)
                .or(() -> Optional.of(ratio).filter(_ -> ratioCounts))
                .orElseThrow(() -> rope.missing("factor"));
        // A null counts as false in transformers; only a key that is absent means true.
        boolean truncate = rope.flag("truncate", !rope.isNull("truncate"));
        double betaFast = number(rope, "beta_fast", POSITIVE).orElse(DEFAULT_BETA_FAST);
        double betaSlow = number(rope, "beta_slow", POSITIVE).orElse(DEFAULT_BETA_SLOW);
        if (betaFast < betaSlow) {
            throw rope.refuse(rope.has("beta_fast") ? "beta_fast" : "beta_slow", "beta_fast at least beta_slow");
        }
        return new Yarn(factor, attentionFactor(rope, factor), betaFast, betaSlow, original, truncate);
    }

    /** The one given; else what follows from the factor and both mscales, if they are there and not 0; else from it alone. */
    private static double attentionFactor(JsonFields rope, double factor) {
        Optional<Double> given = number(rope, "attention_factor", POSITIVE);
        double mscale = scale(rope, "mscale");
        double allDim = scale(rope, "mscale_all_dim");
        return given.orElseGet(() -> mscale > 0 && allDim > 0
                ? magnitude(factor, mscale) / magnitude(factor, allDim)
                : magnitude(factor, 1));
    }

    private static double magnitude(double factor, double mscale) {
        return factor <= 1 ? 1 : 0.1 * mscale * StrictMath.log(factor) + 1;
    }

    private static double scale(JsonFields rope, String key) {
        String accepted = "a number from 0 to 1e6";
        double scale = rope.number(key, accepted).orElse(0.0);
        if (!(scale >= 0 && scale <= 1e6)) {
            throw rope.refuse(key, accepted);
        }
        return scale;
    }

    private static double requiredFactor(JsonFields rope) {
        return factor(rope).orElseThrow(() -> rope.missing("factor"));
    }

    private static Optional<Double> factor(JsonFields rope) {
        Optional<Double> factor = number(rope, "factor", FACTOR);
        if (factor.orElse(1.0) < 1) {
            throw rope.refuse("factor", FACTOR);
        }
        return factor;
    }

    /** A number from 1e-6 to 1e6, so that no step of the f32 arithmetic overflows. */
    private static Optional<Double> number(JsonFields rope, String key, String accepted) {
        Optional<Double> number = rope.number(key, accepted);
        number.filter(value -> !(value >= 1e-6 && value <= 1e6)).ifPresent(_ -> {
            throw rope.refuse(key, accepted);
        });
        return number;
    }

    /**
     * original_max_position_embeddings, which stands at the top or beside the kind. One that is not below
     * max_position_embeddings is taken as it is, as in transformers, which warns: frequencies follow from it alone.
     */
    private OptionalInt originalContext(JsonFields rope) {
        OptionalInt top = fields.wholeSize(ORIGINAL_CONTEXT);
        OptionalInt inner = rope.wholeSize(ORIGINAL_CONTEXT);
        if (top.isPresent() && inner.isPresent() && !top.equals(inner)) {
            throw rope.refuse(ORIGINAL_CONTEXT, "the other " + ORIGINAL_CONTEXT + " of the file, " + top.getAsInt());
        }
        return top.isPresent() ? top : inner;
    }

    private static void requireWholeRotary(JsonFields fields) {
        if (fields.number("partial_rotary_factor", "1").orElse(1.0) != 1.0) {
            throw fields.refuse("partial_rotary_factor", "1");
        }
    }

    private static Optional<Double> theta(JsonFields fields) {
        String accepted = "a number from 1 to 1e30";
        Optional<Double> theta = fields.number("rope_theta", accepted);
        theta.filter(value -> !(value >= 1 && value <= 1e30)).ifPresent(_ -> {
            throw fields.refuse("rope_theta", accepted);
        });
        return theta;
    }
}
