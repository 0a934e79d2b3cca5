package io.tutti.engine.generate;

import java.util.List;

/** Finds stop texts in a text that grows, and holds back its end while that may be the beginning of one. */
final class StopTexts {

    private final List<String> stops;
    private final StringBuilder held = new StringBuilder();
    private boolean found;

    StopTexts(List<String> stops) {
        this.stops = stops;
    }

    /** Whether a stop text has come; what follows it is dropped. */
    boolean found() {
        return found;
    }

    /** Takes more text; returns what can no longer be part of a stop text. */
    String push(String text) {
        if (found) {
            return "";
        }
        held.append(text);
        int stop = firstStop();
        if (stop >= 0) {
            found = true;
            return take(stop);
        }
        return take(held.length() - possibleBeginning());
    }

    /** The text held back, when no more follows. */
    String finish() {
        return found ? "" : take(held.length());
    }

    /** Where the stop text begins that is complete first, the longer one of two; so the parts that text comes in do not matter. */
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

    /** The length of the longest end of the text that a stop text begins with. */
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

    private String take(int length) {
        String taken = held.substring(0, length);
        held.delete(0, length);
        return taken;
    }
}
