package io.tutti.modelio.tokenizer;

import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * Decodes a text while it grows: {@link #push} hands out what has become certain and never half a character. All
 * parts together, {@link #finish} included, are the decoding of the whole.
 *
 * <p>A token's text may depend on the one before it (a leading space is dropped at the start of a text, a character's
 * bytes are spread over tokens). So a window is decoded, from the last tokens that gave text to the newest, and what it
 * adds to the text of those is handed out, unless it ends in U+FFFD: then a character may still be unfinished. A run
 * of tokens that stand for single bytes waits for its end, since such decoders give up on a run as a whole.
 */
public final class TextStream {
    private static final int SHORTEST_TAIL = 16;
    private static final char REPLACEMENT = '\uFFFD';

    private final Tokenizer tokenizer;
    private final boolean skipSpecial;
    private final IntPredicate unfinished;
    private int[] window = new int[16];
    private int windowLength;
    /** How many of the window's tokens have been handed out; they give {@link #handedOut}. */
    private int settled;

    private String handedOut = "";

    /**
     * A stream of {@code tokenizer}'s.
     *
     * @param prompt the tokens that the text continues; their text is not handed out
     * @param skipSpecial whether special tokens are left out
     * @param unfinished the tokens whose text may yet change when another token follows
     */
    TextStream(Tokenizer tokenizer, int[] prompt, boolean skipSpecial, IntPredicate unfinished) {
        this.tokenizer = tokenizer;
        this.skipSpecial = skipSpecial;
        this.unfinished = unfinished;
        begin(prompt);
    }

    /**
     * Begins the window with the last tokens of the prompt, as few as have a text of their own: what decoders drop at the
     * start of a text is dropped there. A run of single bytes is not torn.
     */
    private void begin(int[] prompt) {
        int length = 0;
        while (length < prompt.length && handedOut.isBlank()) {
            length = Math.min(prompt.length, Math.max(SHORTEST_TAIL, 2 * length));
            while (length < prompt.length && unfinished.test(prompt[prompt.length - length])) {
                length++;
            }
            window = Arrays.copyOfRange(prompt, prompt.length - length, prompt.length);
            windowLength = length;
            settled = length;
            handedOut = decodeWindow();
        }
    }

    /** Takes the next token; returns the text that is certain now, often empty. */
    public String push(int id) {
        if (windowLength == window.length) {
            window = Arrays.copyOf(window, 2 * windowLength);
        }
        window[windowLength++] = id;
        if (unfinished.test(id)) {
            return "";
        }
        String text = decodeWindow();
        if (text.length() <= handedOut.length() || text.charAt(text.length() - 1) == REPLACEMENT) {
            return "";
        }
        String fresh = text.substring(handedOut.length());
        System.arraycopy(window, settled, window, 0, windowLength - settled);
        windowLength -= settled;
        settled = windowLength;
        handedOut = decodeWindow();
        return fresh;
    }

    /** The rest of the text, when no token follows. */
    public String finish() {
        String text = decodeWindow();
        String rest = text.length() <= handedOut.length() ? "" : text.substring(handedOut.length());
        windowLength = 0;
        settled = 0;
        handedOut = "";
        return rest;
    }

    private String decodeWindow() {
        return tokenizer.decode(Arrays.copyOf(window, windowLength), skipSpecial);
    }
}
