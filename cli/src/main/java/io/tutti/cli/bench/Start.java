package io.tutti.cli.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tutti.cli.option.AloneOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * What a user waits for before anything is warm, and what a run takes: of processes that {@code generate} runs in.
 *
 * @param firstTokenSeconds from the process's start to the first new token, after a prompt of {@value #PROMPT}
 * @param loadSeconds how long loading the model took
 * @param peakBytes the most memory that a run of the whole prefill and decode had resident, its mapped files included; empty if
 *     the system does not say
 */
public record Start(Spread firstTokenSeconds, double loadSeconds, OptionalDouble peakBytes) {

    /** Tokens of the prompt whose first new token is waited for. */
    public static final int PROMPT = 16;

    private static final double NANOS = 1e9;

    /** Of the seconds to the first token in several processes, and of one whole run. */
    public static Start of(double[] firstTokenSeconds, WholeRun whole) {
        return new Start(Spread.of(firstTokenSeconds), whole.loadSeconds(), whole.peakBytes());
    }

    /** Starts {@code generate} with a prompt of {@code prompt} for {@code maxTokens} new tokens. */
    public static final class Meter {
        private final FreshProcess tutti;
        private final List<String> options;
        private final int[] tokens;
        private final Workload work;

        /**
         * Measures one device.
         *
         * @param options of {@code generate}: the model, the device and how it runs
         * @param tokens at least as many as the prefill has
         */
        public Meter(FreshProcess tutti, List<String> options, int[] tokens, Workload work) {
            this.tutti = tutti;
            this.options = List.copyOf(options);
            this.tokens = tokens;
            this.work = work;
        }

        /** Runs the whole prefill and decode once, and reads what that says. Brings the model's files into memory too. */
        public WholeRun wholeRun() {
            String out = tutti.run(arguments(work.prefill(), work.decode(), "--json"))
                    .out();
            try {
                JsonNode json = new ObjectMapper().readTree(out);
                JsonNode peak = json.path("peak_rss_mb");
                return new WholeRun(
                        json.path("load_s").doubleValue(),
                        peak.isNumber() ? OptionalDouble.of(peak.doubleValue() * 1e6) : OptionalDouble.empty());
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("generate --json printed no JSON: " + out, e);
            }
        }

        /** Seconds from the start of a process to its first token. */
        public double firstToken() {
            int prompt = Math.min(PROMPT, work.positions());
            return tutti.run(arguments(prompt, 1)).firstByteNanos() / NANOS;
        }

        private List<String> arguments(int prompt, int maxTokens, String... more) {
            List<String> arguments = new ArrayList<>(List.of("generate", AloneOption.NAME));
            arguments.addAll(options);
            arguments.add("--ignore-eos");
            arguments.add("--tokens");
            arguments.add(
                    Arrays.stream(tokens, 0, prompt).mapToObj(String::valueOf).collect(Collectors.joining(",")));
            arguments.add("--max-tokens");
            arguments.add(String.valueOf(maxTokens));
            arguments.addAll(List.of(more));
            return arguments;
        }
    }

    /** What a run of the whole prefill and decode says of itself. */
    public record WholeRun(double loadSeconds, OptionalDouble peakBytes) {}
}
