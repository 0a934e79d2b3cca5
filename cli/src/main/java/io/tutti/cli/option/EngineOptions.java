package io.tutti.cli.option;

import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.UsageException;
import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.graph.Activations;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvDtype;
import java.util.OptionalInt;
import picocli.CommandLine.Option;

/**
 * How a model runs. None of these but {@code --kv}, {@code --quant} and {@code --activations} changes a bit of the
 * result.
 */
public class EngineOptions {

    /** More threads than any machine has cores. */
    private static final int MOST_THREADS = 1024;

    /** Positions that a conversation gets unless the cache is sized by hand: a long talk, a moderate cache. */
    private static final int CHAT_POSITIONS = 8192;

    private KvDtype kv = KvDtype.F16;
    private int blockTokens = EngineConfig.DEFAULT_BLOCK_TOKENS;
    private OptionalInt kvBlocks = OptionalInt.empty();
    private OptionalInt chunk = OptionalInt.empty();
    private OptionalInt threads = OptionalInt.empty();
    private OptionalInt quant = OptionalInt.empty();
    private Activations activations = Activations.F32;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Threads of the host; their number changes no bit (default: all cores).")
    void threads(String text) {
        threads = OptionalInt.of(Numbers.integer("--threads", text, 1, MOST_THREADS));
    }

    @Option(names = "--kv", paramLabel = "TYPE", description = "What the cache stores: f16 or f32 (default: f16).")
    void kv(String text) {
        kv = switch (text) {
            case "f16" -> KvDtype.F16;
            case "f32" -> KvDtype.F32;
            default -> throw UsageException.of("--kv", OneLine.quote(text), "f16 or f32");
        };
    }

    @Option(
            names = "--quant",
            paramLabel = "int4:G",
            description = "Quantize the layers' matrices at load, on all cores, in groups of G columns.")
    void quant(String text) {
        quant = OptionalInt.of(QuantOption.group(text));
    }

    @Option(
            names = "--activations",
            paramLabel = "TYPE",
            description = "What meets int4 weights: f32, or int8, quicker and less precise (default: f32).")
    void activations(String text) {
        activations = switch (text) {
            case "f32" -> Activations.F32;
            case "int8" -> Activations.INT8;
            default -> throw UsageException.of("--activations", OneLine.quote(text), "f32 or int8");
        };
    }

    @Option(
            names = "--chunk",
            paramLabel = "N",
            description = "Prompt tokens that a step takes at most (default: the engine's choice).")
    void chunk(String text) {
        chunk = OptionalInt.of(Numbers.positive("--chunk", text));
    }

    @Option(
            names = "--block-tokens",
            paramLabel = "B",
            description = "Positions in a block of the cache (default: 16).")
    void blockTokens(String text) {
        blockTokens = Numbers.positive("--block-tokens", text);
    }

    @Option(
            names = "--kv-blocks",
            paramLabel = "N",
            description = "Blocks of the cache (default: what the run needs; for a chat " + CHAT_POSITIONS
                    + " positions, or the context if that is shorter).")
    void kvBlocks(String text) {
        kvBlocks = OptionalInt.of(Numbers.positive("--kv-blocks", text));
    }

    public int threads() {
        return threads.orElseGet(() -> BackendOptions.defaults().threads());
    }

    public BackendOptions backendOptions() {
        return new BackendOptions(threads());
    }

    public KvDtype kv() {
        return kv;
    }

    /** What meets int4 weights. */
    public Activations activations() {
        return activations;
    }

    /** The group of {@code --quant}, if it is given. */
    public OptionalInt quantGroup() {
        return quant;
    }

    /**
     * The engine for one sequence at a time.
     *
     * @param promptTokens tokens of the prompt
     * @param positions positions that the run may fill
     * @throws UsageException if the cache asked for has no room for them
     */
    public EngineConfig engine(int promptTokens, int positions) {
        int needed = ModelRunner.blocksFor(positions, blockTokens);
        kvBlocks.ifPresent(given -> {
            if (given < needed) {
                throw UsageException.of(
                        "--kv-blocks",
                        String.valueOf(given),
                        "at least " + needed + ", since prompt and new tokens may fill " + positions + " positions, "
                                + blockTokens + " to a block");
            }
        });
        return oneSequence(promptTokens, needed);
    }

    /**
     * New tokens at most after a prompt: {@code maxTokens}, or, if that is {@link Integer#MAX_VALUE}, as many as the blocks asked for
     * have room for.
     */
    public int newTokens(int promptTokens, int maxTokens) {
        if (maxTokens < Integer.MAX_VALUE || kvBlocks.isEmpty()) {
            return maxTokens;
        }
        // The last token is never run.
        long room = (long) kvBlocks.getAsInt() * blockTokens - promptTokens + 1;
        return Math.clamp(room, 1, Integer.MAX_VALUE);
    }

    /** The engine for one conversation, whose room is {@code --kv-blocks}, or {@code --context}, or a moderate cache. */
    public EngineConfig conversation(ModelConfig config, ContextOption context) {
        int positions = Math.min(config.context(), context.given().orElse(CHAT_POSITIONS));
        return oneSequence(positions, ModelRunner.blocksFor(positions, blockTokens));
    }

    private EngineConfig oneSequence(int promptTokens, int blocks) {
        int step = chunk.isEmpty()
                ? EngineConfig.DEFAULT_MAX_BATCH_TOKENS
                : Math.clamp(
                        chunk.getAsInt(),
                        EngineConfig.DEFAULT_MAX_BATCH_TOKENS,
                        Math.max(promptTokens, EngineConfig.DEFAULT_MAX_BATCH_TOKENS));
        return new EngineConfig(
                step, 1, kv, blockTokens, OptionalInt.of(kvBlocks.orElse(blocks)), false, quant, activations);
    }

    /** Prompt tokens that a step takes at most. */
    public int chunk() {
        return chunk.orElse(EngineConfig.DEFAULT_MAX_BATCH_TOKENS);
    }
}
