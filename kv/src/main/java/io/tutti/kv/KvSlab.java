package io.tutti.kv;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;

/**
 * One block's K or V of one layer in the caller's order, [Hkv][B][D], however and wherever the pool keeps it. Reads and
 * writes go through to the cache, on a device too, for as long as the block's handle is good: one given back meanwhile is refused with
 * {@link KvException.InvalidBlock}. Indices outside the shape throw {@link IndexOutOfBoundsException}.
 */
public final class KvSlab {
    private final KvPool pool;
    private final KvConfig config;
    private final BlockRefs refs;
    private final KvBlock block;
    private final KvLayerSlab layer;

    KvSlab(KvPool pool, BlockRefs refs, KvBlock block, KvLayerSlab layer) {
        this.pool = pool;
        this.config = pool.config();
        this.refs = refs;
        this.block = block;
        this.layer = layer;
    }

    /** The stored bits of a number; an f16's are the low 16. */
    public int bits(int head, int position, int dim) {
        long at = offset(head, position, dim);
        pool.beforeHostRead();
        return switch (config.dtype()) {
            case F16 -> Short.toUnsignedInt(layer.data().get(ValueLayout.JAVA_SHORT_UNALIGNED, at));
            case F32 -> layer.data().get(ValueLayout.JAVA_INT_UNALIGNED, at);
        };
    }

    /** Stores bits as they are; of an f16's only the low 16 count. */
    public void setBits(int head, int position, int dim, int bits) {
        long at = offset(head, position, dim);
        pool.beforeHostWrite();
        switch (config.dtype()) {
            case F16 -> layer.data().set(ValueLayout.JAVA_SHORT_UNALIGNED, at, (short) bits);
            case F32 -> layer.data().set(ValueLayout.JAVA_INT_UNALIGNED, at, bits);
        }
    }

    /** {@link #bits} as a number. */
    public float get(int head, int position, int dim) {
        return config.dtype().toFloat(bits(head, position, dim));
    }

    /** Stores the nearest number, as {@link KvDtype#toBits} says. */
    public void set(int head, int position, int dim, float value) {
        setBits(head, position, dim, config.dtype().toBits(value));
    }

    /** Copies all of it, little-endian, to {@code to} from byte {@code at} on. */
    public void copyTo(MemorySegment to, long at) {
        copyTo(to, at, config.blockTokens());
    }

    /** Copies the first {@code positions} of each head, and zeros in place of the others. */
    void copyTo(MemorySegment to, long at, int positions) {
        MemorySegment out = to.asSlice(at, config.slabBytes());
        int written = positions * config.headDim() * config.dtype().bytes();
        for (int head = 0; head < config.kvHeads(); head++) {
            byte[] rows = read(head);
            Arrays.fill(rows, written, rows.length, (byte) 0);
            MemorySegment.copy(rows, 0, out, ValueLayout.JAVA_BYTE, head * layer.headStride(), rows.length);
        }
    }

    /** Overwrites all of it with what {@link #copyTo} wrote to {@code from} from byte {@code at} on. */
    public void copyFrom(MemorySegment from, long at) {
        MemorySegment in = from.asSlice(at, config.slabBytes());
        for (int head = 0; head < config.kvHeads(); head++) {
            write(
                    head,
                    in.asSlice(head * layer.headStride(), layer.headStride()).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /** A head's [B][D], little-endian. */
    private byte[] read(int head) {
        byte[] rows = new byte[(int) layer.headStride()];
        ValueLayout layout = config.dtype().layout();
        long at = offset(head, 0, 0);
        pool.beforeHostRead();
        MemorySegment.copy(layer.data(), layout, at, MemorySegment.ofArray(rows), littleEndian(), 0, numbers());
        return isK() ? transpose(rows, config.headDim(), config.blockTokens()) : rows;
    }

    private void write(int head, byte[] rows) {
        byte[] kept = isK() ? transpose(rows, config.blockTokens(), config.headDim()) : rows;
        ValueLayout layout = config.dtype().layout();
        long at = offset(head, 0, 0);
        pool.beforeHostWrite();
        MemorySegment.copy(MemorySegment.ofArray(kept), littleEndian(), 0, layer.data(), layout, at, numbers());
    }

    /** From [rows][columns] to [columns][rows]. */
    private byte[] transpose(byte[] from, int rows, int columns) {
        int width = config.dtype().bytes();
        byte[] to = new byte[from.length];
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                int at = (row * columns + column) * width;
                int toAt = (column * rows + row) * width;
                for (int i = 0; i < width; i++) {
                    to[toAt + i] = from[at + i];
                }
            }
        }
        return to;
    }

    private boolean isK() {
        return layer.region().part() == KvPart.K;
    }

    private ValueLayout littleEndian() {
        return config.dtype().layout().withOrder(ByteOrder.LITTLE_ENDIAN);
    }

    /** Numbers of one head. */
    private long numbers() {
        return layer.headStride() / config.dtype().bytes();
    }

    private long offset(int head, int position, int dim) {
        Objects.checkIndex(head, config.kvHeads());
        Objects.checkIndex(position, config.blockTokens());
        Objects.checkIndex(dim, config.headDim());
        return layer.at(refs.check(block), head) + position * layer.positionStride() + dim * layer.dimStride();
    }
}
