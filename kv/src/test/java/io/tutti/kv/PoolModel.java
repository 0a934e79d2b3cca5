package io.tutti.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A pool and, beside it, what it should hold, kept as plainly as can be. Each operation runs on both; blocks are named
 * by numbers taken modulo how many there are.
 */
final class PoolModel {
    static final int BLOCKS = 5;
    private static final int MEMORABLE = 20;

    /** A held or cached block: its handle, its references, and what is in it. */
    private static final class Entry {
        private KvBlock handle;
        private int refs = 1;
        private int fill;
        private int mark;
        private BlockHash hash;
    }

    private final boolean prefixCache;
    private final KvPool pool;
    private final List<Entry> held = new ArrayList<>();
    private final List<Entry> cached = new ArrayList<>();
    private final List<KvBlock> dead = new ArrayList<>();
    private int marks;

    PoolModel(boolean prefixCache) {
        this.prefixCache = prefixCache;
        pool = new KvPool(new KvConfig(BLOCKS, 2, 1, 1, 1, KvDtype.F32, prefixCache, "a model"));
    }

    private int available() {
        return BLOCKS - held.size();
    }

    void alloc(int n) {
        if (n > available()) {
            assertThatExceptionOfType(KvException.Exhausted.class)
                    .isThrownBy(() -> pool.alloc(n))
                    .satisfies(e -> assertThat(e.available()).isEqualTo(available()));
            return;
        }
        take(pool.alloc(n));
    }

    /** Blocks that the pool handed out anew; what it had to evict for them must be what was idle for longest. */
    private void take(List<KvBlock> handles) {
        while (held.size() + cached.size() + handles.size() > BLOCKS) {
            bury(cached.removeFirst().handle);
        }
        for (KvBlock handle : handles) {
            assertThat(cached).noneMatch(entry -> entry.handle.index() == handle.index());
            assertThat(held).noneMatch(entry -> entry.handle.index() == handle.index());
            Entry entry = new Entry();
            entry.handle = handle;
            held.add(entry);
            mark(entry);
        }
    }

    /** Writes something unmistakable into a block. */
    private void mark(Entry entry) {
        entry.mark = ++marks;
        pool.slab(entry.handle, 0, KvPart.K).setBits(0, 0, 0, entry.mark);
    }

    void retain(int which) {
        pick(which).ifPresent(entry -> {
            pool.retain(entry.handle);
            entry.refs++;
        });
    }

    void release(List<Integer> which) {
        List<Entry> chain =
                which.stream().map(this::pick).flatMap(Optional::stream).toList();
        List<KvBlock> handles = chain.stream().map(entry -> entry.handle).toList();
        if (chain.stream()
                .anyMatch(entry -> chain.stream().filter(e -> e == entry).count() > entry.refs)) {
            assertThatExceptionOfType(KvException.InvalidBlock.class).isThrownBy(() -> pool.release(handles));
            return;
        }
        pool.release(handles);
        for (Entry entry : chain.reversed()) {
            if (--entry.refs == 0) {
                held.remove(entry);
                bury(entry.handle);
                if (entry.hash != null) {
                    cached.add(entry);
                }
            }
        }
    }

    void setFill(int which, int fill) {
        pick(which).filter(entry -> entry.hash == null).ifPresent(entry -> {
            pool.setFill(entry.handle, fill);
            entry.fill = fill;
        });
    }

    void register(int which, int token) {
        pick(which).ifPresent(entry -> {
            BlockHash hash = hash(token);
            if (entry.fill < 2 || (entry.hash != null && !entry.hash.equals(hash))) {
                assertThatExceptionOfType(KvException.InvalidArgument.class)
                        .isThrownBy(() -> pool.register(entry.handle, hash));
                return;
            }
            boolean first =
                    prefixCache && find(hash).map(found -> found == entry).orElse(true);
            assertThat(pool.register(entry.handle, hash)).isEqualTo(first);
            if (first) {
                entry.hash = hash;
            }
        });
    }

    void fillAndRegister(List<Integer> whichAndToken) {
        setFill(whichAndToken.get(0), 2);
        register(whichAndToken.get(0), whichAndToken.get(1));
    }

    void lookup(int token) {
        Optional<Entry> expected = find(hash(token));
        Optional<KvBlock> found = pool.lookup(hash(token));
        assertThat(found.map(KvBlock::index)).isEqualTo(expected.map(entry -> entry.handle.index()));
        expected.ifPresent(entry -> {
            entry.refs++;
            if (cached.remove(entry)) {
                entry.handle = found.orElseThrow();
                held.add(entry);
            }
            assertThat(found).contains(entry.handle);
        });
    }

    void move(int which) {
        pick(which).ifPresent(entry -> {
            byte[] envelope = pool.exportBlocks(List.of(entry.handle));
            if (available() == 0) {
                assertThatExceptionOfType(KvException.Exhausted.class).isThrownBy(() -> pool.importBlocks(envelope));
                return;
            }
            KvBlock copy = pool.importBlocks(envelope).getFirst();
            assertThat(pool.fill(copy)).isEqualTo(entry.fill);
            assertThat(pool.slab(copy, 0, KvPart.K).bits(0, 0, 0)).isEqualTo(entry.fill > 0 ? entry.mark : 0);
            take(List.of(copy));
            held.getLast().fill = entry.fill;
        });
    }

    /** What must hold after every operation. */
    void check() {
        int used = held.size();
        int idle = cached.size();
        assertThat(List.of(pool.free(), pool.cached(), pool.used())).containsExactly(BLOCKS - used - idle, idle, used);
        for (Entry entry : held) {
            assertThat(pool.fill(entry.handle)).isEqualTo(entry.fill);
            assertThat(pool.slab(entry.handle, 0, KvPart.K).bits(0, 0, 0)).isEqualTo(entry.mark);
        }
        for (KvBlock handle : dead) {
            assertThatExceptionOfType(KvException.InvalidBlock.class).isThrownBy(() -> pool.retain(handle));
        }
    }

    /** Gives everything back: not a block is missing then. */
    void close() {
        while (!held.isEmpty()) {
            release(List.of(0));
        }
        pool.release(pool.alloc(BLOCKS));
        assertThat(pool.free()).isEqualTo(BLOCKS);
        pool.close();
    }

    private Optional<Entry> pick(int which) {
        return held.isEmpty() ? Optional.empty() : Optional.of(held.get(which % held.size()));
    }

    private Optional<Entry> find(BlockHash hash) {
        return IntStream.range(0, held.size() + cached.size())
                .mapToObj(i -> i < held.size() ? held.get(i) : cached.get(i - held.size()))
                .filter(entry -> hash.equals(entry.hash))
                .findFirst();
    }

    private void bury(KvBlock handle) {
        dead.add(handle);
        if (dead.size() > MEMORABLE) {
            dead.removeFirst();
        }
    }

    private BlockHash hash(int token) {
        return BlockHash.chain(pool.root(), new int[] {token}, 0, 1);
    }
}
