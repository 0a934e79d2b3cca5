package io.tutti.kv;

/**
 * Keeps a pool's memory and a device's copy of it in step: whichever side is about to read or write first gets what the
 * other wrote. Invariant: at most one side is newer than the other.
 *
 * <p>Whole copies move, all regions at once: a step reads any block, and moving sequences between devices is rare.
 */
public final class KvAttachment implements AutoCloseable {
    private enum Newer {
        NEITHER,
        HOST,
        DEVICE
    }

    private final KvPool pool;
    private final KvDeviceCopy copy;
    /** A device's memory begins undefined. */
    private Newer newer = Newer.HOST;

    KvAttachment(KvPool pool, KvDeviceCopy copy) {
        this.pool = pool;
        this.copy = copy;
    }

    /**
     * To be called ahead of every step on the device: uploads if the host has written since the last one, and from here on
     * takes the device's copy as the newer, for a step that fails halfway may have written too.
     *
     * @throws IllegalStateException if the pool or this is closed
     */
    public void beforeStep() {
        pool.requireAttached(this);
        if (newer == Newer.HOST) {
            copy.upload();
        }
        newer = Newer.DEVICE;
    }

    /** The host is about to read the pool's memory. */
    void beforeHostRead() {
        if (newer == Newer.DEVICE) {
            copy.download();
            newer = Newer.NEITHER;
        }
    }

    /** The host is about to write some of the pool's memory; the rest must be the device's first. */
    void beforeHostWrite() {
        beforeHostRead();
        newer = Newer.HOST;
    }

    /**
     * Ends the copy's part: the pool's memory is the only one again, refreshed a last time if a block is held or cached.
     * To be called while the copy is still there. After the first call, and once the pool is closed, this does nothing.
     */
    @Override
    public void close() {
        pool.detach(this);
    }
}
