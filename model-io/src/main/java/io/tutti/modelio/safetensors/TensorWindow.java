package io.tutti.modelio.safetensors;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;

/**
 * A tensor's bytes, little-endian, usable from any thread until it is closed. The bytes begin at any alignment, so read
 * them with unaligned layouts. Those of a file are read-only.
 */
public final class TensorWindow implements AutoCloseable {
    private final Arena arena;
    private final MemorySegment data;

    private TensorWindow(Arena arena, MemorySegment data) {
        this.arena = arena;
        this.data = data;
    }

    /** Maps the file's pages that hold {@code tensor}, and no others. */
    @SuppressWarnings("MustBeClosedChecker") // The window owns the arena.
    static TensorWindow map(TensorInfo tensor) throws IOException {
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(tensor.file(), StandardOpenOption.READ)) {
            if (channel.size() < tensor.offset() + tensor.bytes()) {
                throw new IOException("the file became shorter while it was read");
            }
            MemorySegment data = channel.map(FileChannel.MapMode.READ_ONLY, tensor.offset(), tensor.bytes(), arena);
            return new TensorWindow(arena, data);
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /** Memory of our own, zeroed and writable, in place of a file's. */
    @SuppressWarnings("MustBeClosedChecker") // The window owns the arena.
    public static TensorWindow allocate(long bytes) {
        Arena arena = Arena.ofShared();
        try {
            return new TensorWindow(arena, arena.allocate(bytes, Long.BYTES));
        } catch (RuntimeException | OutOfMemoryError e) {
            arena.close();
            throw e;
        }
    }

    /** Some of the bytes; closing them lets the whole tensor's pages go. */
    public TensorWindow slice(long from, long bytes) {
        return new TensorWindow(arena, data.asSlice(from, bytes));
    }

    /** The tensor's bytes. */
    public MemorySegment data() {
        return data;
    }

    /** Lets the pages go; {@link #data} may not be touched afterwards. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
