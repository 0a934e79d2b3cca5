package io.tutti.kv;

/**
 * A copy of a pool's regions in a device's memory, kept by a program there. The pool calls both methods on its own thread,
 * between steps, and only when the other side has written since the last call.
 */
public interface KvDeviceCopy {

    /** Overwrites the pool's regions with what the device holds. */
    void download();

    /** Overwrites what the device holds with the pool's regions. */
    void upload();
}
