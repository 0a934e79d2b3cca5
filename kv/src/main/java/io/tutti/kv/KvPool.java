package io.tutti.kv;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * The paged KV cache: a fixed number of blocks, each room for B token positions of every layer's keys and values.
 *
 * <p>A block is <em>free</em>, <em>used</em> (held by one or more references), or <em>cached</em>: registered under
 * the hash of its content, held by nobody, and findable until its room is needed. Whoever calls {@link #alloc},
 * {@link #retain}, {@link #lookup} or {@link #importBlocks} owes a {@link #release}.
 *
 * <p>One thread owns a pool: nothing here is synchronized. The memory may be read and written by any thread, which is
 * how a backend's workers fill it while the owner waits for them. A program whose device has memory of its own attaches
 * its copy, which is then the live one: {@link #attach}.
 *
 * <p>See Kwon et al. 2023, "Efficient Memory Management for Large Language Model Serving with PagedAttention".
 */
public final class KvPool implements AutoCloseable {
    /** The most bytes that a region has on any device: kernels count them in ints. */
    public static final long MAX_REGION_BYTES = Integer.MAX_VALUE;

    /** What JVMs can allocate; a little less than an int can count. */
    private static final int MAX_ARRAY = Integer.MAX_VALUE - 8;

    private final KvConfig config;
    private final Supplier<String> content;
    private final KvRegions regions;
    private final BlockRefs refs;
    private final PrefixCache cache;
    private final int[] fills;
    private BlockHash root; // made when it is first asked for
    private KvAttachment attachment; // null while no device has a copy
    private boolean closed;

    /**
     * Reserves the whole cache, zeroed.
     *
     * @throws KvException.InvalidArgument when the memory is not to be had, or K of a single layer would not fit in
     *     one region of {@link #MAX_REGION_BYTES}
     */
    public KvPool(KvConfig config) {
        this(config, () -> "");
    }

    /**
     * Reserves the whole cache, zeroed.
     *
     * @param content tells models of the same identity apart, such as by a checksum of their weights; asked for when a hash
     *     or an envelope first needs it, since that may take time
     * @throws KvException.InvalidArgument as {@link #KvPool(KvConfig)}
     */
    public KvPool(KvConfig config, Supplier<String> content) {
        this(config, content, MAX_REGION_BYTES);
    }

    KvPool(KvConfig config, long regionBytes) {
        this(config, () -> "", regionBytes);
    }

    /**
     * Reserves the whole cache, zeroed, for a device whose buffers may be smaller.
     *
     * @param content as {@link #KvPool(KvConfig, Supplier)}
     * @param regionBytes the most bytes that a region may have
     * @throws KvException.InvalidArgument as {@link #KvPool(KvConfig)}
     */
    public KvPool(KvConfig config, Supplier<String> content, long regionBytes) {
        this.config = config;
        this.content = content;
        try {
            refs = new BlockRefs(config.blocks());
            cache = new PrefixCache(config.blocks());
            fills = new int[config.blocks()];
            // Last, so that nothing can fail while memory is held that no one would free.
            regions = KvRegions.allocate(config, regionBytes);
        } catch (OutOfMemoryError e) {
            throw new KvException.InvalidArgument(
                    "blocks",
                    config.blocks(),
                    "fewer, for the cache takes %d bytes, more than there is".formatted(config.totalBytes()));
        }
    }

    public KvConfig config() {
        return config;
    }

    /** The hash that every chain of this pool starts from. */
    public BlockHash root() {
        if (root == null) {
            root = BlockHash.root(config.identity() + content.get());
        }
        return root;
    }

    /** Blocks that hold nothing. */
    public int free() {
        return refs.free();
    }

    /** Blocks that nobody holds but a {@link #lookup} may find. */
    public int cached() {
        return cache.idle();
    }

    /** Blocks that are held. */
    public int used() {
        return config.blocks() - free() - cached();
    }

    /**
     * Hands out {@code n} blocks of fill 0, one reference each, or none at all. When free blocks run out, the cached
     * blocks that have been idle for longest are evicted. Memory is as its last owner left it.
     *
     * @throws KvException.Exhausted when fewer than {@code n} blocks are free or cached
     */
    public List<KvBlock> alloc(int n) {
        requireOpen();
        if (n < 0) {
            throw new KvException.InvalidArgument("n", n, "0 or more");
        }
        if (n > free() + cached()) {
            throw new KvException.Exhausted(n, free() + cached());
        }
        List<KvBlock> blocks = new ArrayList<>(n);
        for (int i = 0; i < n; i++) {
            int index = free() > 0 ? refs.takeFree() : cache.evictOldest();
            fills[index] = 0;
            blocks.add(refs.acquire(index));
        }
        return blocks;
    }

    /** Adds a reference. */
    public void retain(KvBlock block) {
        requireOpen();
        refs.share(refs.check(block));
    }

    /** Gives a reference back. With the last one a registered block becomes cached, any other free. */
    public void release(KvBlock block) {
        release(List.of(block));
    }

    /**
     * Gives back a reference to each block of a sequence, or none if one of the handles is bad. The tail goes first:
     * a block is of no use without those before it, so the tail is evicted before the head.
     */
    public void release(List<KvBlock> chain) {
        requireOpen();
        refs.checkEach(chain);
        for (KvBlock block : chain.reversed()) {
            if (refs.drop(block)) {
                if (cache.hash(block.index()) != null) {
                    cache.park(block.index());
                } else {
                    refs.addFree(block.index());
                }
            }
        }
    }

    /** Token positions of the block that are written, 0 to B. */
    public int fill(KvBlock block) {
        requireOpen();
        return fills[refs.check(block)];
    }

    /** Says that positions 0 to {@code fill} are written. A registered block is full, and stays so. */
    public void setFill(KvBlock block, int fill) {
        requireOpen();
        int index = refs.check(block);
        int least = cache.hash(index) != null ? config.blockTokens() : 0;
        if (fill < least || fill > config.blockTokens()) {
            throw new KvException.InvalidArgument(
                    "fill of block " + index, fill, "%d to %d".formatted(least, config.blockTokens()));
        }
        fills[index] = fill;
    }

    /** Whether others may read the block, by a reference of theirs or by its hash, so that its content must not change. */
    public boolean isShared(KvBlock block) {
        requireOpen();
        int index = refs.check(block);
        return refs.shared(index) || cache.hash(index) != null;
    }

    /**
     * Makes a full block findable under the hash of its content. Where another block has the hash already, that one
     * stays the one found. Without a prefix cache nothing is registered.
     *
     * @return whether {@link #lookup} of the hash now finds this block
     * @throws KvException.InvalidArgument when the block is not full, or registered under another hash
     */
    public boolean register(KvBlock block, BlockHash hash) {
        requireOpen();
        int index = refs.check(block);
        if (fills[index] != config.blockTokens()) {
            throw new KvException.InvalidArgument(
                    "fill of block " + index, fills[index], config.blockTokens() + " to be registered");
        }
        BlockHash own = cache.hash(index);
        if (own != null && !own.equals(hash)) {
            throw new KvException.InvalidArgument("hash of block " + index, hash, own + ", its content's");
        }
        return config.prefixCache() && cache.add(hash, index);
    }

    /** The block with this content, held or cached, with a reference for the caller. */
    public Optional<KvBlock> lookup(BlockHash hash) {
        requireOpen();
        OptionalInt found = cache.find(hash);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        int index = found.getAsInt();
        if (refs.held(index)) {
            return Optional.of(refs.share(index));
        }
        cache.unpark(index);
        return Optional.of(refs.acquire(index));
    }

    /**
     * The blocks of the longest prefix of {@code tokens} that is there, in order, each with a reference for the caller.
     * Only whole blocks are found. A caller that needs the last token's logits leaves that token out.
     */
    public List<KvBlock> lookupPrefix(int[] tokens) {
        List<KvBlock> blocks = new ArrayList<>();
        BlockHash hash = root();
        for (int from = 0; config.blockTokens() <= tokens.length - from; from += config.blockTokens()) {
            hash = BlockHash.chain(hash, tokens, from, from + config.blockTokens());
            Optional<KvBlock> block = lookup(hash);
            if (block.isEmpty()) {
                break;
            }
            blocks.add(block.get());
        }
        return blocks;
    }

    /**
     * Makes a device's copy of the memory the live one, until the attachment is closed: {@link KvSlab}, exports and imports
     * see what the device wrote, and the device's next step sees what they wrote. The copy is uploaded ahead of the
     * first step.
     *
     * @throws IllegalStateException if another copy is attached: of two live ones each would have to travel ahead of every
     *     step of the other, so whoever wants to change devices closes the first program
     */
    public KvAttachment attach(KvDeviceCopy copy) {
        requireOpen();
        if (attachment != null) {
            throw new IllegalStateException("KvPool has a device's copy attached already; close that program first");
        }
        attachment = new KvAttachment(this, copy);
        return attachment;
    }

    void requireAttached(KvAttachment own) {
        requireOpen();
        if (attachment != own) {
            throw new IllegalStateException("the device's copy is detached from its KvPool");
        }
    }

    void detach(KvAttachment own) {
        if (closed || attachment != own) {
            return;
        }
        attachment = null;
        if (used() + cached() > 0) {
            own.beforeHostRead();
        }
    }

    void beforeHostRead() {
        if (attachment != null) {
            attachment.beforeHostRead();
        }
    }

    void beforeHostWrite() {
        if (attachment != null) {
            attachment.beforeHostWrite();
        }
    }

    /**
     * The memory that backends lay their buffers over: regions of K, or V, in the order of their layers. What is read and
     * written here directly is the host's copy, and passes the attached device's by.
     */
    public List<KvRegion> regions(KvPart part) {
        requireOpen();
        return regions.of(part);
    }

    /** How kernels address a layer's K or V of every block; of the host's copy, as in {@link #regions}. */
    public KvLayerSlab layer(int layer, KvPart part) {
        requireOpen();
        if (layer < 0 || layer >= config.layers()) {
            throw new KvException.InvalidArgument("layer", layer, "0 to " + (config.layers() - 1));
        }
        return regions.layer(layer, part);
    }

    /** One block's K or V of one layer, in the caller's order [Hkv][B][D]. */
    public KvSlab slab(KvBlock block, int layer, KvPart part) {
        KvLayerSlab all = layer(layer, part);
        refs.check(block);
        return new KvSlab(this, refs, block, all);
    }

    /**
     * The blocks' content in an envelope, golden/spec/kv-block.md. Positions past a block's fill are zeros there, so
     * that the bytes depend on the content alone.
     *
     * @throws KvException.InvalidArgument for more blocks than an array has room for, or than the pool has
     */
    public byte[] exportBlocks(List<KvBlock> blocks) {
        long size = envelopeSize(blocks);
        if (size > MAX_ARRAY) {
            throw new KvException.InvalidArgument("envelope bytes", size, "at most " + MAX_ARRAY + " in an array");
        }
        byte[] bytes = new byte[(int) size];
        write(blocks, MemorySegment.ofArray(bytes));
        return bytes;
    }

    /** The same in memory of {@code allocator}'s, of any size. */
    public MemorySegment exportBlocks(List<KvBlock> blocks, SegmentAllocator allocator) {
        MemorySegment bytes = allocator.allocate(envelopeSize(blocks));
        write(blocks, bytes);
        return bytes;
    }

    private long envelopeSize(List<KvBlock> blocks) {
        requireOpen();
        blocks.forEach(refs::check);
        if (blocks.size() > config.blocks()) {
            throw new KvException.InvalidArgument(
                    "blocks to export", blocks.size(), "at most the pool's " + config.blocks());
        }
        return KvEnvelope.size(config, blocks.size());
    }

    private void write(List<KvBlock> blocks, MemorySegment bytes) {
        KvEnvelope envelope = KvEnvelope.begin(bytes, config, root(), blocks.size());
        for (int i = 0; i < blocks.size(); i++) {
            KvBlock block = blocks.get(i);
            envelope.setFill(i, fill(block));
            for (int layer = 0; layer < config.layers(); layer++) {
                for (KvPart part : KvPart.values()) {
                    slab(block, layer, part).copyTo(bytes, envelope.slabAt(i, layer, part), fill(block));
                }
            }
        }
        envelope.seal();
    }

    /** As {@link #importBlocks(MemorySegment)}. */
    public List<KvBlock> importBlocks(byte[] envelope) {
        return importBlocks(MemorySegment.ofArray(envelope));
    }

    /**
     * Blocks with the content of an envelope, one reference each, in its order; they are not registered. Nothing is
     * allocated or evicted unless all of it fits.
     *
     * @throws KvException.InvalidEnvelope when the bytes are not whole, or come from a pool of another shape or identity
     * @throws KvException.Exhausted when fewer blocks are free or cached than it carries
     */
    public List<KvBlock> importBlocks(MemorySegment bytes) {
        requireOpen();
        KvEnvelope envelope = KvEnvelope.parse(bytes, config, root());
        List<KvBlock> blocks = alloc(envelope.blocks());
        for (int i = 0; i < blocks.size(); i++) {
            KvBlock block = blocks.get(i);
            setFill(block, envelope.fill(i));
            for (int layer = 0; layer < config.layers(); layer++) {
                for (KvPart part : KvPart.values()) {
                    slab(block, layer, part).copyFrom(bytes, envelope.slabAt(i, layer, part));
                }
            }
        }
        return blocks;
    }

    /**
     * Frees the memory; every later call but this one, and every access to the memory, is an error.
     *
     * @throws IllegalStateException when blocks are still held: somebody leaked them (the memory is freed all the same)
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        regions.close();
        if (used() > 0) {
            throw new IllegalStateException(
                    "KvPool closed with %d of %d blocks held".formatted(used(), config.blocks()));
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("KvPool is closed");
        }
    }
}
