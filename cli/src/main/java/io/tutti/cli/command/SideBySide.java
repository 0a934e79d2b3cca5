package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.Progress;
import java.util.Arrays;
import java.util.List;

/**
 * Several tracks in step: each computes the same positions, which are compared and let go before the next ones are computed.
 * The first track's greedy tokens are everyone's.
 */
final class SideBySide {

    /** Logits of a step that a track holds at once, in numbers: 128 MiB. */
    private static final int MOST_IN_STEP = 1 << 25;

    private final List<Track> tracks;
    private final int vocab;
    private final Console console;

    /** @param tracks at least two */
    SideBySide(List<Track> tracks, int vocab, Console console) {
        this.tracks = tracks;
        this.vocab = vocab;
        this.console = console;
    }

    /**
     * Runs a prompt and what follows it.
     *
     * @param sequence begins with the prompt; its rest receives all new tokens but the last, which no step takes
     * @param prompt tokens of the prompt
     * @param chunk prompt tokens that are compared at once, at most
     * @return the new tokens
     */
    int[] run(int[] sequence, int prompt, int chunk) {
        int step = Math.clamp(MOST_IN_STEP / vocab, 1, chunk);
        int[] chosen = new int[sequence.length - prompt + 1];
        try (Progress progress = console.progress("Comparing")) {
            int warm = Math.min(step, prompt);
            for (Track track : tracks) {
                console.interrupts().check();
                track.warmUp(sequence, 0, warm);
            }
            int[] next = {};
            for (int start = 0; start < prompt; start += step) {
                int begin = start;
                int end = Math.min(prompt, start + step);
                next = compute(start, end, track -> track.prompt(sequence, begin, end));
                progress.report(end, sequence.length);
            }
            choose(next, chosen, 0);
            for (int position = prompt; position < sequence.length; position++) {
                int at = position;
                sequence[position] = chosen[position - prompt];
                next = compute(position, position + 1, track -> track.newToken(sequence, at));
                choose(next, chosen, position - prompt + 1);
                progress.report(position + 1, sequence.length);
            }
        }
        return chosen;
    }

    /** One track's part of a step: the logits of its positions. */
    private interface Part {
        float[] logits(Track track);
    }

    /** Computes positions on every track; returns the greedy token that follows them, track by track. */
    private int[] compute(int start, int end, Part part) {
        int[] next = new int[tracks.size()];
        int last = (end - start - 1) * vocab;
        console.interrupts().check();
        float[] expected = part.logits(tracks.getFirst());
        next[0] = greedy(expected, last);
        for (int i = 1; i < next.length; i++) {
            console.interrupts().check();
            float[] actual = part.logits(tracks.get(i));
            tracks.get(i).compare(expected, actual, start);
            next[i] = greedy(actual, last);
        }
        return next;
    }

    private void choose(int[] next, int[] chosen, int n) {
        chosen[n] = next[0];
        for (int i = 0; i < next.length; i++) {
            tracks.get(i).choose(chosen[n], next[i]);
        }
    }

    /** The largest logit's token; the lowest of equals, as the sampler takes it. */
    private int greedy(float[] logits, int at) {
        int best = 0;
        for (int id = 1; id < vocab; id++) {
            if (logits[at + id] > logits[at + best]) {
                best = id;
            }
        }
        return best;
    }

    /** Tokens spread over a vocabulary of {@code vocab}, for a comparison that was given none. */
    static int[] someTokens(int vocab, int count) {
        double golden = (Math.sqrt(5) - 1) / 2;
        int[] tokens = new int[count];
        Arrays.setAll(tokens, i -> (int) (vocab * ((i + 1) * golden % 1)));
        return tokens;
    }
}
