package io.tutti.modelio.tokenizer;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * How much text one token can stand for. With it a text that is far too long for a context is recognized without encoding it.
 *
 * @param bytes the bytes of UTF-8 that an encoding never leaves out
 * @param longest how many of them one token can stand for at most
 */
record TokenReach(BitSet bytes, int longest) {

    /** A lower bound of the number of tokens of {@code text}, which is UTF-8. */
    long leastTokens(ByteBuffer text) {
        long kept = 0;
        for (int i = text.position(); i < text.limit(); i++) {
            kept += bytes.get(text.get(i) & 0xFF) ? 1 : 0;
        }
        return (kept + longest - 1) / longest;
    }

    /**
     * Gathers what a tokenizer.json says, in any order. There is a bound only where no step may drop or shorten text:
     * for BPE whose tokens are made of bytes, or which falls back to tokens that stand for one, as all models of
     * today's kind do; not where unknown words become one token, spaces are cut off, or letters are folded.
     */
    static final class Builder {
        private static final int BYTES = 256;
        /**
         * The largest factor is 3.5: Greek iota, diaeresis and acute have seven bytes at most, and two as one letter.
         */
        private static final int COMPOSITION = 4;

        private final BitSet spelled = new BitSet(BYTES);
        private boolean keepsText = true;
        private boolean normalized;
        private boolean byteLevel;
        private int shrinks = 1;
        private int longestUnits = 1;
        private int longestUtf8 = 1;

        void normalizer(JsonNode step) {
            if (step.isNull()) {
                return;
            }
            switch (step.path("type").asText()) {
                case "Sequence" -> step.path("normalizers").forEach(this::normalizer);
                case "Prepend" -> {}
                case "ByteLevel" -> byteLevel = true;
                case "NFC" -> {
                    normalized = true;
                    shrinks = COMPOSITION;
                }
                case "Replace" -> {
                    normalized = true;
                    JsonNode pattern = step.path("pattern").path("String");
                    keepsText &= pattern.isTextual()
                            && utf8(pattern.textValue())
                                    <= utf8(step.path("content").asText());
                }
                default -> keepsText = false;
            }
        }

        void preTokenizer(JsonNode step) {
            if (step.isNull()) {
                return;
            }
            switch (step.path("type").asText()) {
                case "Sequence" -> step.path("pretokenizers").forEach(this::preTokenizer);
                case "ByteLevel" -> byteLevel = true;
                case "Digits", "Metaspace" -> {}
                case "Split", "Punctuation" ->
                    keepsText &= !step.path("behavior").asText().equals("Removed");
                default -> keepsText = false;
            }
        }

        void token(String token) {
            longestUnits = Math.max(longestUnits, token.length());
            longestUtf8 = Math.max(longestUtf8, utf8(token));
            if (token.length() == 1) {
                int b = byteOf(token.charAt(0));
                if (b >= 0) {
                    spelled.set(b);
                }
            }
        }

        /**
         * The bound, if there is one.
         *
         * @param type the model's
         * @param byteFallback whether what has no token becomes tokens of bytes
         * @param byteTokens how many of those 256 there are
         * @param added tokens that are found in the text before the model sees it
         */
        Optional<TokenReach> build(String type, boolean byteFallback, int byteTokens, List<AddedToken> added) {
            BitSet bytes = byteLevel ? spelled : byteFallback && byteTokens == BYTES ? all() : new BitSet();
            boolean whole = !normalized || bytes.cardinality() == BYTES;
            boolean strips = added.stream().anyMatch(token -> token.lstrip() || token.rstrip());
            if (!type.equals("BPE") || !keepsText || strips || !whole || bytes.isEmpty()) {
                return Optional.empty();
            }
            int longest = byteLevel ? longestUnits : longestUtf8;
            for (AddedToken token : added) {
                longest = Math.max(longest, utf8(token.content()));
            }
            return Optional.of(new TokenReach(bytes, Math.multiplyExact(shrinks, longest)));
        }

        private static BitSet all() {
            BitSet all = new BitSet(BYTES);
            all.set(0, BYTES);
            return all;
        }

        private static int utf8(String text) {
            return text.getBytes(StandardCharsets.UTF_8).length;
        }

        /**
         * GPT-2's alphabet: a printable byte of Latin-1 is its own letter, and the others in turn are U+0100 and so on.
         */
        private static int byteOf(char letter) {
            if (isPrintable(letter)) {
                return letter;
            }
            int left = letter - BYTES;
            for (int b = 0; b < BYTES && left >= 0; b++) {
                if (!isPrintable(b) && left-- == 0) {
                    return b;
                }
            }
            return -1;
        }

        private static boolean isPrintable(int b) {
            return (b >= '!' && b <= '~') || (b >= 0xA1 && b <= 0xAC) || (b >= 0xAE && b <= 0xFF);
        }
    }
}
