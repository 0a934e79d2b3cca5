package io.tutti.cli.command;

import io.tutti.engine.graph.GraphFacts;
import io.tutti.engine.model.ModelConfig;
import io.tutti.kv.KvDtype;
import java.util.List;
import java.util.Locale;

/** Sizes, and how people read them. */
final class Sizes {

    private static final List<String> UNITS = List.of("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB");
    private static final int MOST_NAMES = 3;

    private Sizes() {}

    /** Bytes that the cache takes for one position. */
    static long cacheBytesPerToken(ModelConfig config, KvDtype dtype) {
        return new GraphFacts(config.graph()).cachedNumbers() * dtype.bytes();
    }

    /** {@code 256.6 MiB}. */
    static String text(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < UNITS.size() - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0 ? bytes + " bytes" : String.format(Locale.ROOT, "%.1f %s", value, UNITS.get(unit));
    }

    /** {@code 1,234,567}. */
    static String grouped(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** The line about tensors that a model does not use. */
    static String ignored(List<String> tensors) {
        String names = String.join(", ", tensors.subList(0, Math.min(MOST_NAMES, tensors.size())));
        return "ignored " + (tensors.size() == 1 ? "a tensor" : tensors.size() + " tensors")
                + " that the model does not use: " + names + (tensors.size() > MOST_NAMES ? ", …" : "");
    }
}
