package io.tutti.kv;

import io.tutti.base.TuttiException;

/** What the pool refuses. The message is one line: the field, its value, and what would be accepted. */
public abstract sealed class KvException extends TuttiException {
    private KvException(String message) {
        super(message);
    }

    private static String line(String field, Object value, String accepted) {
        return "%s is %s, accepted: %s".formatted(field, value, accepted);
    }

    /** A size, fill, count or layer that the pool cannot serve. */
    public static final class InvalidArgument extends KvException {
        InvalidArgument(String field, Object value, String accepted) {
            super(line(field, value, accepted));
        }
    }

    /** A handle that is stale, that nobody holds (a double release), or that the pool never made. */
    public static final class InvalidBlock extends KvException {
        InvalidBlock(KvBlock block, String accepted) {
            super(line("block", "%d of generation %d".formatted(block.index(), block.generation()), accepted));
        }
    }

    /** Too few blocks are free or evictable; nothing was taken. */
    public static final class Exhausted extends KvException {
        private final int needed;
        private final int available;

        Exhausted(int needed, int available) {
            super(line("blocks needed", needed, "at most the %d that are free or cached".formatted(available)));
            this.needed = needed;
            this.available = available;
        }

        /** Blocks that were asked for. */
        public int needed() {
            return needed;
        }

        /** Blocks that could have been had. */
        public int available() {
            return available;
        }
    }

    /** Bytes that are no envelope, or the envelope of a pool unlike this one; nothing was allocated. */
    public static final class InvalidEnvelope extends KvException {
        InvalidEnvelope(String field, Object value, String accepted) {
            super(line("envelope " + field, value, accepted));
        }
    }
}
