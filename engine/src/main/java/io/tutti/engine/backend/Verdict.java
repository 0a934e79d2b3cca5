package io.tutti.engine.backend;

import io.tutti.engine.selftest.SelfTest;

/** What a {@link SelfTest} found. */
public sealed interface Verdict {

    /** The verdict in a few words, for people. */
    String text();

    /** Every number had the reference's bits. */
    record Exact() implements Verdict {
        @Override
        public String text() {
            return "exact";
        }
    }

    /**
     * The numbers are right, the bits are not.
     *
     * @param where the op whose result differs first, and the case
     * @param largestDifference in the case's hidden states and logits, relative to the largest of them
     * @param differing numbers that differ
     * @param compared numbers that were compared
     */
    record Approximate(String where, double largestDifference, long differing, long compared) implements Verdict {
        @Override
        public String text() {
            return "approximate: %s; %d of %d numbers differ, by %.1e of the largest at most"
                    .formatted(where, differing, compared, largestDifference);
        }
    }

    /** The device fails, or computes something else. */
    record Broken(String reason) implements Verdict {
        @Override
        public String text() {
            return "broken: " + reason;
        }
    }
}
