package io.tutti.cli.bench;

import io.tutti.cli.bench.Round.Timed;
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

    /** Bytes that all threads read from memory. */
    Spread read() {
        return Spread.of(rounds.stream()
                .flatMap(round -> round.decode().values().stream())
                .mapToDouble(Timed::limit));
    }

    /** Operations that all threads do. */
    Spread fma() {
        return prefill(Timed::limit);
    }

    /** Tokens of the prompt. */
    Spread prefillTokens() {
        return prefill(timed -> work.prefill() / timed.seconds());
    }

    Spread prefillFlops() {
        double flops = cost.prefillFlops(work.prefill());
        return prefill(timed -> flops / timed.seconds());
    }

    /** Of what all threads do at most. */
    Spread prefillOfFma() {
        double flops = cost.prefillFlops(work.prefill());
        return prefill(timed -> flops / timed.seconds() / timed.limit());
    }

    /** New tokens of all sequences together, after {@code context}. */
    Spread decodeTokens(int context) {
        return decode(context, timed -> (double) work.batch() * work.decode() / timed.seconds());
    }

    Spread decodeBytes(int context) {
        double bytes = cost.decodeBytes(work.batch(), context, work.decode());
        return decode(context, timed -> bytes / timed.seconds());
    }

    /** Of what all threads read from memory at most. */
    Spread decodeOfRead(int context) {
        double bytes = cost.decodeBytes(work.batch(), context, work.decode());
        return decode(context, timed -> bytes / timed.seconds() / timed.limit());
    }

    Spread decodeFlops(int context) {
        double flops = cost.decodeFlops(work.batch(), context, work.decode());
        return decode(context, timed -> flops / timed.seconds());
    }

    /** Of what all threads do at most. */
    Spread decodeOfFma(int context) {
        double flops = cost.decodeFlops(work.batch(), context, work.decode());
        return Spread.of(rounds.stream()
                .mapToDouble(round -> flops
                        / round.decode().get(context).seconds()
                        / round.prefill().limit()));
    }

    private Spread prefill(ToDoubleFunction<Timed> figure) {
        return Spread.of(rounds.stream().map(Round::prefill).mapToDouble(figure));
    }

    private Spread decode(int context, ToDoubleFunction<Timed> figure) {
        return Spread.of(
                rounds.stream().map(round -> round.decode().get(context)).mapToDouble(figure));
    }
}
