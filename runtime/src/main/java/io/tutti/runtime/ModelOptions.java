package io.tutti.runtime;

import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.graph.Activations;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.EngineException;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvDtype;
import io.tutti.modelio.tokenizer.LlamaPipeline;
import java.util.OptionalInt;

/** Where and how a model runs. Only {@link Builder#cache}, {@link Builder#int4} and {@link Builder#activations} change bits. */
public final class ModelOptions {

    /** Positions that the cache has unless a builder says otherwise, or the context if that is shorter. */
    public static final int DEFAULT_CACHE_POSITIONS = 8192;

    private final String device;
    private final int threads;
    private final OptionalInt context;
    private final OptionalInt cachePositions;
    private final KvDtype cache;
    private final OptionalInt int4Group;
    private final Activations activations;
    private final boolean modelDefaults;
    private final LlamaPipeline pipeline;

    private ModelOptions(Builder builder) {
        device = builder.device;
        threads = builder.threads;
        context = builder.context;
        cachePositions = builder.cachePositions;
        cache = builder.cache;
        int4Group = builder.int4Group;
        activations = builder.activations;
        modelDefaults = builder.modelDefaults;
        pipeline = builder.pipeline;
    }

    /** The fastest exact device, all cores, an f16 cache. */
    public static ModelOptions defaults() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    String device() {
        return device;
    }

    int threads() {
        return threads;
    }

    OptionalInt context() {
        return context;
    }

    boolean modelDefaults() {
        return modelDefaults;
    }

    LlamaPipeline pipeline() {
        return pipeline;
    }

    /** How a model with this context runs. */
    EngineConfig engine(int modelContext) {
        int positions = Math.min(modelContext, cachePositions.orElse(DEFAULT_CACHE_POSITIONS));
        EngineConfig defaults = EngineConfig.defaults();
        return new EngineConfig(
                defaults.maxBatchTokens(),
                1,
                cache,
                defaults.blockTokens(),
                OptionalInt.of(ModelRunner.blocksFor(positions, defaults.blockTokens())),
                false,
                int4Group,
                activations);
    }

    /** Builds {@link ModelOptions}. */
    public static final class Builder {
        private String device = DeviceChoice.AUTO;
        private int threads = BackendOptions.defaults().threads();
        private OptionalInt context = OptionalInt.empty();
        private OptionalInt cachePositions = OptionalInt.empty();
        private KvDtype cache = KvDtype.F16;
        private OptionalInt int4Group = OptionalInt.empty();
        private Activations activations = Activations.F32;
        private boolean modelDefaults = true;
        private LlamaPipeline pipeline = LlamaPipeline.LEGACY;

        private Builder() {}

        /** {@code host}, a name such as {@code opencl:0}, or {@code auto} (default): the fastest device that is exact. */
        public Builder device(String name) {
            device = name;
            return this;
        }

        /** Threads of the host (default: all cores). */
        public Builder threads(int count) {
            threads = positive("threads", count);
            return this;
        }

        /** Positions that a text may have, prompt and new tokens together (default and at most: the model's). */
        public Builder context(int positions) {
            context = OptionalInt.of(positive("context", positions));
            return this;
        }

        /** Positions that the cache has room for (default: {@value #DEFAULT_CACHE_POSITIONS}, or the context if shorter). */
        public Builder cachePositions(int positions) {
            cachePositions = OptionalInt.of(positive("cachePositions", positions));
            return this;
        }

        /** What the cache stores (default: f16). */
        public Builder cache(KvDtype type) {
            cache = type;
            return this;
        }

        /** Quantizes the layers' matrices to int4 at load, in groups of so many columns. */
        public Builder int4(int group) {
            int4Group = OptionalInt.of(positive("int4", group));
            return this;
        }

        /** What meets int4 weights: f32 (default), or int8, which is faster and less precise. */
        public Builder activations(Activations type) {
            activations = type;
            return this;
        }

        /** Leaves generation_config.json aside: greedy where a request does not say otherwise, config.json's end tokens. */
        public Builder withoutModelDefaults() {
            modelDefaults = false;
            return this;
        }

        /** What the text of a LlamaTokenizer goes through (default: as the model was trained). */
        public Builder pipeline(LlamaPipeline value) {
            pipeline = value;
            return this;
        }

        public ModelOptions build() {
            return new ModelOptions(this);
        }

        private static int positive(String name, int value) {
            if (value < 1) {
                throw new EngineException(name + " is " + value + "; accepted: at least 1");
            }
            return value;
        }
    }
}
