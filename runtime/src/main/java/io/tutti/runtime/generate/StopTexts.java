package io.tutti.runtime.generate;

import io.tutti.runtime.generate.WrittenText.Part;
import java.util.BitSet;
import java.util.List;

/**
 * Finds stop texts in what a model writes, special tokens included, and hands out what is shown of the text before them.
 *
 * <p>The two texts are matched from their ends: what is shown may lack a leading space that is written, and may come later.
 */
final class StopTexts {

    private final List<String> stops;
    /** Written text that may still be part of a stop text; after a stop text has come, everything from its beginning. */
    private final StringBuilder held = new StringBuilder();
    /** Which characters of {@code held} are not shown. */
    private final BitSet hidden = new BitSet();
    /** What was shown and has not been handed out. */
    private final StringBuilder shown = new StringBuilder();

    private boolean found;

    StopTexts(List<String> stops) {
        this.stops = stops;
    }

    /** Whether a stop text has come; what follows it is dropped. */
    boolean found() {
        return found;
    }

    /** Takes more text that is shown as it is written; returns what can no longer be part of a stop text. */
    String push(String text) {
        return push(text, new Part(text, 0));
    }

    /**
     * Takes more text; returns the shown text that stands before whatever may still be part of a stop text.
     *
     * @param text more of what is shown; may lag behind what is written
     * @param written the same, and the special tokens
     */
    String push(String text, Part written) {
        shown.append(text);
        held.append(written.text());
        hidden.set(held.length() - written.hidden(), held.length());
        if (!found) {
            int stop = firstStop();
            found = stop >= 0;
            release(found ? stop : held.length() - possibleBeginning());
        }
        return handOut();
    }

    /** The shown text held back, when no more follows. */
    String finish() {
        if (!found) {
            release(held.length());
        }
        return handOut();
    }

    /**
     * Where the first stop text begins: the one that ends first, the longer one if two end together. So the result does not
     * depend on the parts in which the text comes. -1 if there is none.
     */
    private int firstStop() {
        int begin = -1;
        int end = Integer.MAX_VALUE;
        for (String stop : stops) {
            int at = held.indexOf(stop);
            int after = at + stop.length();
            if (at >= 0 && (after < end || (after == end && at < begin))) {
                begin = at;
                end = after;
            }
        }
        return begin;
    }

    /** The length of the longest end of the held text with which a stop text begins. */
    private int possibleBeginning() {
        int longest = 0;
        for (String stop : stops) {
            for (int n = Math.min(stop.length() - 1, held.length()); n > longest; n--) {
                if (stop.startsWith(held.substring(held.length() - n))) {
                    longest = n;
                }
            }
        }
        return longest;
    }

    /** Drops the first {@code length} held characters, which are part of no stop text. */
    private void release(int length) {
        BitSet rest = hidden.get(length, Math.max(length, hidden.length()));
        hidden.clear();
        hidden.or(rest);
        held.delete(0, length);
    }

    private String handOut() {
        int heldBack = held.length() - hidden.cardinality();
        String text = shown.substring(0, Math.max(0, shown.length() - heldBack));
        shown.delete(0, text.length());
        return text;
    }
}
