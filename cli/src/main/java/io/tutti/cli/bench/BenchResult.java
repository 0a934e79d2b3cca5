package io.tutti.cli.bench;

import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * What was measured of a model on one device. Rates are per second; shares are those of the same round.
 *
 * @param device its name
 * @param description what it is
 * @param driver the software between
 * @param onProcessor whether it runs on this machine's processor, whose limits are then its own
 * @param start of a process that runs there, if that could be measured
 * @param rounds at least one
 */
public record BenchResult(
        String device,
        String description,
        String driver,
        boolean onProcessor,
        Workload work,
        Cost cost,
        Optional<Start> start,
        List<Round> rounds) {

    public BenchResult {
        rounds = List.copyOf(rounds);
    }

    private Spread spread(ToDoubleFunction<Round> figure) {
        return Spread.of(rounds, figure);
    }

    /** Bytes that all threads read from memory. */
    Spread read() {
        return spread(Round::readBytesPerSecond);
    }

    /** Operations that all threads do. */
    Spread fma() {
        return spread(Round::flopsPerSecond);
    }

    /** Tokens of the prompt. */
    Spread prefillTokens() {
        return spread(round -> work.prefill() / round.prefillSeconds());
    }

    Spread prefillFlops() {
        return spread(this::prefillFlops);
    }

    private double prefillFlops(Round round) {
        return cost.prefillFlops(work.prefill()) / round.prefillSeconds();
    }

    /** Of what the processor does at most. */
    Spread prefillOfFma() {
        return spread(round -> prefillFlops(round) / round.flopsPerSecond());
    }

    /** New tokens of all sequences together, after {@code context}. */
    Spread decodeTokens(int context) {
        return spread(round -> (double) work.batch() * work.decode() / seconds(round, context));
    }

    Spread decodeBytes(int context) {
        return spread(round -> decodeBytes(round, context));
    }

    private double decodeBytes(Round round, int context) {
        return cost.decodeBytes(work.batch(), context, work.decode()) / seconds(round, context);
    }

    /** Of what all threads read from memory. */
    Spread decodeOfRead(int context) {
        return spread(round -> decodeBytes(round, context) / round.readBytesPerSecond());
    }

    Spread decodeFlops(int context) {
        return spread(round -> decodeFlops(round, context));
    }

    private double decodeFlops(Round round, int context) {
        return cost.decodeFlops(work.batch(), context, work.decode()) / seconds(round, context);
    }

    /** Of what the processor does at most. */
    Spread decodeOfFma(int context) {
        return spread(round -> decodeFlops(round, context) / round.flopsPerSecond());
    }

    private static double seconds(Round round, int context) {
        return round.decodeSeconds().get(context);
    }
}
