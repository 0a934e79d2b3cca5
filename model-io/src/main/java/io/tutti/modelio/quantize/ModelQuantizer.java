package io.tutti.modelio.quantize;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.ModelDirectory;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.files.PlainFile;
import io.tutti.modelio.files.WholeOrNothing;
import io.tutti.modelio.int4.Int4Format;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.safetensors.SafetensorsWriter;
import io.tutti.modelio.safetensors.SafetensorsWriter.Declaration;
import io.tutti.modelio.safetensors.TensorInfo;
import io.tutti.modelio.safetensors.TensorWindow;
import io.tutti.modelio.weights.Int4Weight;
import io.tutti.modelio.weights.QuantizedWeights;
import io.tutti.modelio.weights.Weight;
import io.tutti.modelio.weights.Weights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Writes an int4 model directory from one of floats: the projections of each layer quantized, every other tensor
 * copied bit for bit, and the files that a model needs beside its weights. The directory appears whole or not at all.
 */
public final class ModelQuantizer {
    /** Told after each tensor how many bytes of the checkpoint are done. */
    @FunctionalInterface
    public interface Progress {
        void report(long doneBytes, long allBytes);
    }

    private final Path model;
    private final Checkpoint checkpoint;
    private final QuantizedWeights quantized;
    private final Set<String> projections;
    private final int group;
    private final Progress progress;

    private ModelQuantizer(Path model, Weights weights, Set<String> projections, int group, Progress progress) {
        this.model = model;
        this.checkpoint = weights.checkpoint();
        this.quantized = QuantizedWeights.of(weights, projections, group);
        this.projections = projections;
        this.group = group;
        this.progress = progress;
    }

    /**
     * Quantizes the model in {@code model} into the directory {@code out}, in groups of {@code group} columns.
     *
     * @param weights the model's
     * @param projections the names of the matrices to quantize
     * @param out must not exist, or be an empty directory
     * @throws ModelException if the model is refused, is int4 already or does not divide into groups, or if writing
     *     fails; {@code out} is then as it was
     */
    public static void quantize(
            Path model, Weights weights, Set<String> projections, Path out, int group, Progress progress) {
        if (projections.isEmpty()) {
            throw ModelException.of(model, "has no layers to quantize; accepted: a model with layers");
        }
        new ModelQuantizer(model, weights, projections, group, progress).writeTo(out);
    }

    private void writeTo(Path out) {
        List<Declaration> declarations = declarations();
        Map<String, String> metadata = new HashMap<>(checkpoint.metadata());
        metadata.put(Int4Format.METADATA_KEY, Int4Format.metadata(group));
        WholeOrNothing.directory(out, directory -> {
            copyCompanions(directory);
            SafetensorsWriter.write(
                    directory.resolve(Checkpoint.FILE_NAME), metadata, declarations, this::writeTensors);
        });
    }

    private void copyCompanions(Path directory) throws IOException {
        for (String name : ModelDirectory.COMPANIONS) {
            Path from = model.resolve(name);
            PlainFile.require(from);
            if (PlainFile.isThere(from)) {
                Files.copy(from, directory.resolve(name));
            }
        }
    }

    private List<Declaration> declarations() {
        List<Declaration> declarations = new ArrayList<>();
        for (String name : checkpoint.names()) {
            TensorInfo tensor = checkpoint.tensor(name);
            if (projections.contains(name)) {
                long rows = rows(tensor);
                long cols = cols(tensor);
                QuantizedWeights.requireGroups(tensor.file(), name, cols, group);
                declarations.add(new Declaration(Int4Format.qweight(name), Dtype.U8, List.of(rows, cols / 2)));
                declarations.add(new Declaration(Int4Format.scales(name), Dtype.F16, List.of(rows, cols / group)));
            } else {
                declarations.add(new Declaration(name, tensor.dtype(), tensor.shape()));
            }
        }
        if (checkpoint.names().stream().noneMatch(projections::contains)) {
            throw ModelException.of(
                    model, "the weights have no projection to quantize, such as model.layers.0.mlp.up_proj.weight");
        }
        return declarations;
    }

    private void writeTensors(SafetensorsWriter writer) throws IOException {
        long done = 0;
        for (String name : checkpoint.names()) {
            TensorInfo tensor = checkpoint.tensor(name);
            if (projections.contains(name)) {
                writeQuantized(tensor, writer);
            } else {
                try (TensorWindow window = checkpoint.map(name)) {
                    writer.put(name, 0, window.data());
                }
            }
            done += tensor.bytes();
            progress.report(done, checkpoint.bytes());
        }
    }

    private void writeQuantized(TensorInfo tensor, SafetensorsWriter writer) throws IOException {
        try (Weight weight = quantized.matrix(tensor.name(), (int) rows(tensor), (int) cols(tensor))) {
            if (weight instanceof Int4Weight int4) {
                writer.put(Int4Format.qweight(tensor.name()), 0, int4.qweight());
                writer.put(Int4Format.scales(tensor.name()), 0, int4.scales());
            }
        }
    }

    private static long rows(TensorInfo tensor) {
        requireMatrix(tensor);
        return tensor.shape().getFirst();
    }

    private static long cols(TensorInfo tensor) {
        requireMatrix(tensor);
        return tensor.shape().getLast();
    }

    private static void requireMatrix(TensorInfo tensor) {
        boolean matrix = tensor.shape().size() == 2
                && tensor.shape().stream().allMatch(size -> size >= 1 && size <= Integer.MAX_VALUE);
        if (!matrix) {
            throw ModelException.of(
                    tensor.file(),
                    "tensor " + ModelException.quote(tensor.name()) + " is " + tensor.shapeText()
                            + "; a projection is a matrix [out, in]");
        }
    }
}
