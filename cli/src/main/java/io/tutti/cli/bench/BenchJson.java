package io.tutti.cli.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A device's figures for programs: one object. A figure that was measured in every round is {@code {"min", "median", "max"}};
 * what is not known is null.
 *
 * <ul>
 *   <li>{@code model} (the directory's name), {@code device}, {@code description}, {@code driver}, {@code dtype}, {@code activations}, {@code kv},
 *       {@code threads}, {@code chunk}, {@code batch}, {@code repeats}, {@code commit}
 *   <li>{@code prefill_tokens}, {@code prefill_tok_s}, {@code prefill_gflop_s}, {@code prefill_of_fma}
 *   <li>{@code decode_tokens} of each sequence, and after the first context: {@code decode_tok_s} of all sequences together,
 *       {@code decode_gb_s}, {@code decode_of_read}, {@code decode_gflop_s}, {@code decode_of_fma}; {@code decode_at}: tokens a
 *       second by context
 *   <li>{@code read_gb_s}, {@code fma_gflop_s}: what the processor does at most; the shares of a device with memory of its
 *       own are null
 *   <li>{@code first_token_s}, {@code load_s}, {@code peak_rss_mb}: of processes of their own
 * </ul>
 */
public final class BenchJson {

    private static final double GIGA = 1e9;
    private static final double MEGA = 1e6;

    private BenchJson() {}

    public static ObjectNode of(BenchReport report, BenchResult result) {
        Workload work = report.work();
        int first = work.contexts().getFirst();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("model", report.model());
        json.put("device", result.device());
        json.put("description", result.description());
        json.put("driver", result.driver());
        json.put("dtype", report.dtype());
        json.put("activations", report.activations());
        json.put("kv", report.kv());
        json.put("threads", report.threads());
        json.put("chunk", report.chunk());
        json.put("batch", work.batch());
        json.put("repeats", report.repeats());
        json.put("commit", report.commit().orElse(null));

        json.put("prefill_tokens", work.prefill());
        put(json, "prefill_tok_s", result.prefillTokens(), 1);
        put(json, "prefill_gflop_s", result.prefillFlops(), GIGA);
        putShare(json, "prefill_of_fma", result, result.prefillOfFma());

        json.put("decode_tokens", work.decode());
        put(json, "decode_tok_s", result.decodeTokens(first), 1);
        put(json, "decode_gb_s", result.decodeBytes(first), GIGA);
        putShare(json, "decode_of_read", result, result.decodeOfRead(first));
        put(json, "decode_gflop_s", result.decodeFlops(first), GIGA);
        putShare(json, "decode_of_fma", result, result.decodeOfFma(first));
        ObjectNode at = json.putObject("decode_at");
        work.contexts().forEach(context -> put(at, String.valueOf(context), result.decodeTokens(context), 1));

        put(json, "read_gb_s", result.read(), GIGA);
        put(json, "fma_gflop_s", result.fma(), GIGA);
        addStart(json, result);
        return json;
    }

    private static void addStart(ObjectNode json, BenchResult result) {
        result.start()
                .ifPresentOrElse(
                        start -> put(json, "first_token_s", start.firstTokenSeconds(), 1),
                        () -> json.putNull("first_token_s"));
        result.start().ifPresentOrElse(start -> json.put("load_s", start.loadSeconds()), () -> json.putNull("load_s"));
        result.start()
                .filter(start -> start.peakBytes().isPresent())
                .ifPresentOrElse(
                        start -> json.put("peak_rss_mb", start.peakBytes().getAsDouble() / MEGA),
                        () -> json.putNull("peak_rss_mb"));
    }

    private static void putShare(ObjectNode json, String name, BenchResult result, Spread share) {
        if (result.onProcessor()) {
            put(json, name, share, 1);
        } else {
            json.putNull(name);
        }
    }

    private static void put(ObjectNode json, String name, Spread spread, double unit) {
        json.putObject(name)
                .put("min", spread.min() / unit)
                .put("median", spread.median() / unit)
                .put("max", spread.max() / unit);
    }
}
