package io.tutti.cli.command;

import io.tutti.chat.ChatTemplate;
import io.tutti.engine.graph.Weight;
import io.tutti.engine.model.GraphWeights;
import io.tutti.engine.model.ModelConfig;
import io.tutti.kv.KvDtype;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.GenerationConfig;
import io.tutti.modelio.config.TokenizerKind;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.safetensors.TensorInfo;
import io.tutti.modelio.tokenizer.Ends;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.modelio.tokenizer.Tokenizers;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.modelio.weights.Weights;
import io.tutti.runtime.AnswerEnds;
import io.tutti.runtime.ModelFiles;
import io.tutti.runtime.Sizes;
import io.tutti.runtime.generate.SamplingDefaults;
import io.tutti.sample.SamplingParams;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;

/**
 * What a model directory holds, found without loading it: every weight that the model needs is there in the right
 * shape. Whether all their values are finite is found out at load.
 *
 * @param parameters numbers of the weights that the model uses, a tied matrix once
 * @param byDtype tensors by what their elements are
 * @param int4Group columns that share a scale, if the layers are int4
 * @param chatTemplate whether it has one
 * @param sampling how the model wants its tokens chosen
 * @param unapplied keys of generation_config.json that would change the tokens and are not applied
 * @param notes what is odd about its files and does not keep it from running
 * @param unused tensors that the model does not use
 */
record Inspection(
        Path directory,
        ModelConfig config,
        long parameters,
        Map<Dtype, Tensors> byDtype,
        OptionalInt int4Group,
        boolean chatTemplate,
        SamplingParams sampling,
        List<String> unapplied,
        List<String> notes,
        List<String> unused) {

    /** Tensors of one dtype. */
    record Tensors(int count, long bytes) {
        Tensors and(TensorInfo tensor) {
            return new Tensors(count + 1, bytes + tensor.bytes());
        }
    }

    /** @throws ModelException if the directory holds no model that Tutti runs */
    static Inspection of(Path directory) {
        return of(directory, UnaryOperator.identity());
    }

    /**
     * Inspects the model with the context that {@code context} gives it.
     *
     * @throws ModelException if the directory holds no model that Tutti runs
     */
    static Inspection of(Path directory, UnaryOperator<ModelFiles> context) {
        ModelFiles files = context.apply(ModelFiles.open(directory));
        GenerationConfig generation = files.generationConfig();
        SamplingDefaults sampling = SamplingDefaults.of(generation);
        boolean chatTemplate = files.chatTemplate().isPresent();
        Weights weights = files.weights();
        ModelConfig config = files.config().with(weights);
        List<String> notes = new ArrayList<>();
        sampling.note().ifPresent(note -> notes.add(GenerationConfig.FILE_NAME + ": " + note));
        notes.addAll(config.notes());
        notes.addAll(weights.notes());
        long parameters = countParameters(config, weights);
        Checkpoint checkpoint = weights.checkpoint();
        Map<Dtype, Tensors> byDtype = new EnumMap<>(Dtype.class);
        for (String name : checkpoint.names()) {
            TensorInfo tensor = checkpoint.tensor(name);
            byDtype.merge(tensor.dtype(), new Tensors(1, tensor.bytes()), (old, _) -> old.and(tensor));
        }
        return new Inspection(
                directory,
                config,
                parameters,
                byDtype,
                weights.int4Group(),
                chatTemplate,
                sampling.params(),
                generation.unapplied().counting(!sampling.params().isGreedy()),
                notes,
                weights.unusedNames());
    }

    /**
     * What the tokenizer and the chat template say of the model's texts.
     *
     * @param ends what ends them, and in a chat its answers
     * @param notes what is odd about its tokenizer
     */
    record Texts(Ends ends, List<String> notes) {}

    /** Opens the tokenizer for its ends and notes. If it cannot be opened, a note says so in place of its ends. */
    Texts texts() {
        if (config.tokenizer() == TokenizerKind.NONE) {
            return new Texts(Ends.of(directory, config.text(), Optional.empty()), List.of());
        }
        try (Tokenizer tokenizer = Tokenizers.open(directory, config.text())) {
            Optional<ChatTemplate> template = ChatTemplate.find(directory);
            Ends ends = template.isPresent()
                    ? AnswerEnds.of(directory, config, tokenizer, template.get(), Map.of())
                    : Ends.of(directory, config.text(), Optional.of(tokenizer));
            return new Texts(ends, tokenizer.notes());
        } catch (ModelException e) {
            return new Texts(Ends.of(directory, config.text(), Optional.empty()).noting(e.getMessage()), List.of());
        }
    }

    int tensors() {
        return byDtype.values().stream().mapToInt(Tensors::count).sum();
    }

    long bytes() {
        return byDtype.values().stream().mapToLong(Tensors::bytes).sum();
    }

    long cacheBytesPerToken(KvDtype dtype) {
        return Sizes.cacheBytesPerToken(config, dtype);
    }

    /** Opens every weight that the model needs, so that a missing or misshapen one is refused here too. */
    private static long countParameters(ModelConfig config, Weights weights) {
        long parameters = 0;
        WeightSource source = new GraphWeights(config.graph(), weights);
        for (Map.Entry<String, Weight> entry : config.graph().weights().entrySet()) {
            switch (entry.getValue()) {
                case Weight.Matrix matrix -> {
                    source.matrix(entry.getKey(), matrix.rows(), matrix.cols()).close();
                    parameters += (long) matrix.rows() * matrix.cols();
                }
                case Weight.Vector vector -> {
                    source.vector(entry.getKey(), vector.length());
                    parameters += vector.length();
                }
            }
        }
        return parameters;
    }
}
