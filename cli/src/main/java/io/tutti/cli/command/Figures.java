package io.tutti.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tutti.cli.bench.PeakMemory;
import io.tutti.runtime.generate.GenerationResult;
import java.lang.management.ManagementFactory;
import java.util.Locale;

/** How quick a run was. */
final class Figures {

    private static final double NANOS = 1e9;
    private static final double MEGA = 1e6;

    private final int promptTokens;
    private final long loadNanos;
    /** From the JVM's start to the first token, in seconds; NaN before it. */
    private double firstTokenSeconds = Double.NaN;

    /** @param loadNanos how long loading the model took; 0 if it was there already */
    Figures(int promptTokens, long loadNanos) {
        this.promptTokens = promptTokens;
        this.loadNanos = loadNanos;
    }

    /** Called when the first token is there. */
    void firstToken() {
        if (Double.isNaN(firstTokenSeconds)) {
            long start = ManagementFactory.getRuntimeMXBean().getStartTime();
            firstTokenSeconds = (System.currentTimeMillis() - start) / 1e3;
        }
    }

    /** For people: one line. */
    String line(GenerationResult result) {
        StringBuilder line = new StringBuilder();
        line.append("prompt ").append(tokens(promptTokens));
        if (result.reused() > 0) {
            line.append(", ").append(result.reused()).append(" of them in the cache already, the rest");
        } else {
            line.append(',');
        }
        line.append(String.format(Locale.ROOT, " %.1f tokens/s", result.prefillRate(promptTokens)));
        line.append(String.format(Locale.ROOT, "; new %s", tokens(result.tokens().length)));
        if (result.decodeRate() > 0) {
            line.append(String.format(Locale.ROOT, ", %.1f tokens/s", result.decodeRate()));
        }
        if (loadNanos > 0) {
            line.append(String.format(Locale.ROOT, "; loaded in %.2f s", loadNanos / NANOS));
        }
        if (!Double.isNaN(firstTokenSeconds)) {
            line.append(String.format(Locale.ROOT, "; first token %.2f s after the start", firstTokenSeconds));
        }
        return line.toString();
    }

    /** For programs. */
    void addTo(ObjectNode json, GenerationResult result) {
        json.put("load_s", loadNanos / NANOS);
        json.put("prefill_tok_s", result.prefillRate(promptTokens));
        json.put("decode_tok_s", result.decodeRate());
        if (!Double.isNaN(firstTokenSeconds)) {
            json.put("first_token_s", firstTokenSeconds);
        }
        PeakMemory.bytes().ifPresent(bytes -> json.put("peak_rss_mb", bytes / MEGA));
    }

    private static String tokens(int count) {
        return count == 1 ? "1 token" : count + " tokens";
    }
}
