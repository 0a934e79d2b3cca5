package io.tutti.cli.bench;

import java.util.List;
import java.util.Optional;

/**
 * What was run, and what came of it.
 *
 * @param model the model's directory, by its name
 * @param dtype how the layers' matrices are stored, such as {@code bf16} or {@code int4:32}
 * @param activations what meets int4 weights, such as {@code int8}
 * @param kv what the cache stores
 * @param threads of the host
 * @param chunk prompt tokens that a step takes at most
 * @param commit of Tutti, if it is known
 * @param repeats rounds that count
 * @param results device by device
 */
public record BenchReport(
        String model,
        String dtype,
        String activations,
        String kv,
        int threads,
        int chunk,
        Optional<String> commit,
        int repeats,
        Workload work,
        List<BenchResult> results) {

    public BenchReport {
        results = List.copyOf(results);
    }

    /** Bytes that all threads read from memory a second, whatever ran beside it. */
    Spread read() {
        return Spread.of(results.stream().flatMapToDouble(BenchResult::readSamples));
    }

    /** Operations that all threads do a second. */
    Spread fma() {
        return Spread.of(results.stream().flatMapToDouble(BenchResult::fmaSamples));
    }
}
