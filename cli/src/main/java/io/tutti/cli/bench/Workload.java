package io.tutti.cli.bench;

import io.tutti.engine.model.ModelConfig;
import java.util.ArrayList;
import java.util.List;

/**
 * What is run.
 *
 * @param prefill tokens of the prompt, of one sequence
 * @param decode new tokens of each sequence
 * @param contexts tokens that the cache holds before the new ones, ascending
 * @param batch sequences that decode together
 * @param notes what of the work asked for the model has no room for
 */
public record Workload(int prefill, int decode, List<Integer> contexts, int batch, List<String> notes) {

    private static final int PREFILL = 512;
    private static final int DECODE = 128;

    public Workload {
        contexts = List.copyOf(contexts);
        notes = List.copyOf(notes);
    }

    /**
     * A prompt of 512 tokens, and 128 new ones after each of {@code contexts}; or as many as the model's context has room for.
     *
     * @param contexts ascending
     */
    public static Workload of(ModelConfig config, List<Integer> contexts, int batch) {
        int room = config.context();
        String why = ": the model's context is " + room + " tokens (" + config.contextSource() + ")";
        List<String> notes = new ArrayList<>();
        int prefill = Math.min(PREFILL, room);
        if (prefill < PREFILL) {
            notes.add("prefill takes " + prefill + " tokens in place of " + PREFILL + why);
        }
        int decode = Math.min(DECODE, room);
        if (decode < DECODE) {
            notes.add("decode makes " + decode + " tokens in place of " + DECODE + why);
        }
        int most = room - decode;
        List<Integer> possible =
                contexts.stream().map(c -> Math.min(c, most)).distinct().toList();
        if (contexts.getLast() > most) {
            notes.add("decode begins after " + possible.getLast() + " tokens at most in place of " + contexts.getLast()
                    + why);
        }
        if (config.graph().layers().isEmpty() && possible.size() > 1) {
            notes.add("a model without attention is as fast after any context: only " + possible.getFirst()
                    + " is measured");
            possible = possible.subList(0, 1);
        }
        return new Workload(prefill, decode, possible, batch, notes);
    }

    /** Positions of the longest sequence. */
    public int positions() {
        return Math.max(prefill, contexts.getLast() + decode);
    }

    /** Blocks of {@code blockTokens} positions that are held at once: those of each filled context, and of one more run. */
    public long blocks(int blockTokens) {
        long held = 0;
        for (int context : contexts) {
            held += context > 0 ? batch * (long) Math.ceilDiv(context + decode, blockTokens) : 0;
        }
        return held + Math.max(Math.ceilDiv(prefill, blockTokens), batch * (long) Math.ceilDiv(decode, blockTokens));
    }
}
