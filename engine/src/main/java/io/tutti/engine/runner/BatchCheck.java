package io.tutti.engine.runner;

import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Rows;
import io.tutti.engine.model.ModelConfig;
import io.tutti.kv.KvBlock;
import io.tutti.kv.KvPool;
import java.util.Arrays;
import java.util.List;

/** Checks a batch whole and lays it out as flat arrays; a scheduler's mistake surfaces here and corrupts no cache. */
final class BatchCheck {

    private final ModelConfig config;
    private final EngineConfig engine;
    private final KvPool pool;
    /** The most numbers that a token has in any buffer of activations. */
    private final int widest;
    /** For each block of the pool, the last batch that reads it, and the last one that writes it. */
    private final int[] readBy;

    private final int[] writtenBy;

    private int batch;

    BatchCheck(ModelConfig config, EngineConfig engine, KvPool pool, Graph graph) {
        this.config = config;
        this.engine = engine;
        this.pool = pool;
        widest = graph.widest(Rows.TOKENS);
        readBy = new int[pool.config().blocks()];
        writtenBy = new int[readBy.length];
    }

    /** The batch as a program takes it. */
    StepInputs inputs(ForwardBatch forward) {
        List<ForwardSeq> sequences = forward.sequences();
        checkSizes(sequences);
        batch++;
        for (int s = 0; s < sequences.size(); s++) {
            check(sequences.get(s), "sequence " + s);
        }
        sequences.forEach(this::requireUnread);
        return layOut(sequences);
    }

    private void checkSizes(List<ForwardSeq> sequences) {
        if (sequences.isEmpty() || sequences.size() > engine.maxSeqs()) {
            throw new EngineException("a batch of " + sequences.size() + " sequences; accepted: 1 to "
                    + engine.maxSeqs() + " (max_seqs)");
        }
        long tokens = sequences.stream().mapToLong(s -> s.tokens().length).sum();
        if (tokens > engine.maxBatchTokens()) {
            throw new EngineException("a batch of " + tokens + " tokens; accepted: at most " + engine.maxBatchTokens()
                    + " (max_batch_tokens)");
        }
        long logits = sequences.stream().mapToLong(ForwardSeq::outputs).sum();
        requireRoom(tokens, widest);
        requireRoom(logits, config.vocabSize());
    }

    /** A buffer of activations is one array. */
    private static void requireRoom(long rows, long width) {
        if (rows * width > Integer.MAX_VALUE) {
            throw new EngineException("a step of " + rows + " rows of " + width + " numbers; accepted: at most "
                    + Integer.MAX_VALUE / width + " rows (lower max_batch_tokens)");
        }
    }

    private void check(ForwardSeq seq, String who) {
        tokens(seq.tokens(), seq.start(), who);
        int size = engine.blockTokens();
        int needed = ModelRunner.blocksFor(seq.end(), size);
        if (seq.blocks().size() < needed) {
            throw new EngineException(who + ": a block table of " + seq.blocks().size() + " blocks; positions to "
                    + (seq.end() - 1) + " take " + needed + " blocks of " + size);
        }
        for (int b = 0; b < needed; b++) {
            KvBlock block = seq.blocks().get(b);
            int fill = pool.fill(block); // refuses a stale block
            int cached = Math.min(size, seq.start() - b * size);
            if (fill < cached) {
                throw new EngineException(who + ": starts at position " + seq.start() + ", but block " + block.index()
                        + " holds " + fill + " of the " + cached + " positions before that");
            }
            if ((b + 1L) * size > seq.start()) {
                checkWritable(block, who);
            } else {
                readBy[block.index()] = batch;
            }
        }
    }

    private void requireUnread(ForwardSeq seq) {
        int size = engine.blockTokens();
        for (int b = seq.start() / size; b * size < seq.end(); b++) {
            int block = seq.blocks().get(b).index();
            if (readBy[block] == batch) {
                throw new EngineException("block " + block
                        + " is written by one sequence of the batch and read by another; each needs its own");
            }
        }
    }

    private void checkWritable(KvBlock block, String who) {
        if (writtenBy[block.index()] == batch) {
            throw new EngineException(
                    who + ": block " + block.index() + " is written twice in one batch; each sequence needs its own");
        }
        writtenBy[block.index()] = batch;
        if (pool.isShared(block)) {
            throw new EngineException(who + ": block " + block.index()
                    + " is shared or registered, so it may not be written; accepted: a block of the sequence's own");
        }
    }

    /** Token ids in the vocabulary, positions in the context. */
    void tokens(int[] tokens, int start, String who) {
        if (tokens.length == 0) {
            throw new EngineException(who + ": no tokens; a step takes at least one of each sequence");
        }
        if (start < 0 || start > config.context() - tokens.length) {
            throw new EngineException(who + ": " + tokens.length + " tokens from position " + start
                    + "; accepted: positions 0 to " + (config.context() - 1)
                    + " (" + config.contextSource() + ")");
        }
        for (int i = 0; i < tokens.length; i++) {
            if (tokens[i] < 0 || tokens[i] >= config.vocabSize()) {
                throw new EngineException(who + ": token id " + tokens[i] + " at position " + (start + i)
                        + "; accepted: 0 to " + (config.vocabSize() - 1) + " (vocab_size)");
            }
        }
    }

    private StepInputs layOut(List<ForwardSeq> sequences) {
        int count = sequences.stream().mapToInt(s -> s.tokens().length).sum();
        int[] tokens = new int[count];
        int[] positions = new int[count];
        int[] slots = new int[count];
        int[] sequenceStarts = new int[sequences.size() + 1];
        int[] tableStarts = new int[sequences.size() + 1];
        int[] outputs = new int[sequences.stream().mapToInt(ForwardSeq::outputs).sum()];
        int[][] tables = new int[sequences.size()][];
        int size = engine.blockTokens();
        int t = 0;
        int o = 0;
        for (int s = 0; s < sequences.size(); s++) {
            ForwardSeq seq = sequences.get(s);
            tables[s] = seq.blocks().stream()
                    .limit(ModelRunner.blocksFor(seq.end(), size))
                    .mapToInt(KvBlock::index)
                    .toArray();
            for (int i = 0; i < seq.tokens().length; i++, t++) {
                int position = seq.start() + i;
                tokens[t] = seq.tokens()[i];
                positions[t] = position;
                slots[t] = Math.multiplyExact(tables[s][position / size], size) + position % size;
            }
            sequenceStarts[s + 1] = t;
            tableStarts[s + 1] = tableStarts[s] + tables[s].length;
            for (int row = t - seq.outputs(); row < t; row++) {
                outputs[o++] = row;
            }
        }
        int[] blockTables = Arrays.stream(tables).flatMapToInt(Arrays::stream).toArray();
        return new StepInputs(tokens, positions, slots, sequenceStarts, blockTables, tableStarts, outputs);
    }
}
