package io.tutti.modelio.weights;

import io.tutti.modelio.ModelException;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.int4.Int4Format;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.safetensors.TensorInfo;
import io.tutti.modelio.safetensors.TensorWindow;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A checkpoint's weights: floats, or int4 where the file holds that. Keeps account of which tensors were asked for. */
public final class Weights implements WeightSource {
    /** Older files carry this table, which config.json's rope_theta implies. */
    private static final String ROTARY_TABLE = "rotary_emb.inv_freq";

    private static final int F16_SIGN = 0x8000;
    private static final int F16_EXPONENT = 0x7C00;

    private final Checkpoint checkpoint;
    private final TiedHead head;
    private final OptionalInt int4Group;
    private final Set<String> used = ConcurrentHashMap.newKeySet();

    private Weights(Checkpoint checkpoint, TiedHead head, OptionalInt int4Group) {
        this.checkpoint = checkpoint;
        this.head = head;
        this.int4Group = int4Group;
    }

    /**
     * Opens the weights of the model in {@code dir}; nothing is mapped yet.
     *
     * @throws ModelException if a header, the index or the quantization is not as it should be
     */
    public static Weights open(Path dir, TiedHead.Names names) {
        return of(Checkpoint.open(dir), names);
    }

    /** The weights in {@code checkpoint}. */
    public static Weights of(Checkpoint checkpoint, TiedHead.Names names) {
        return of(checkpoint, TiedHead.of(checkpoint, names));
    }

    /** The same, after {@link #head} of other weights in {@code checkpoint}. */
    public static Weights of(Checkpoint checkpoint, TiedHead head) {
        return new Weights(checkpoint, head, int4Group(checkpoint));
    }

    /** Whether the output projection is the embedding. */
    public TiedHead head() {
        return head;
    }

    public Checkpoint checkpoint() {
        return checkpoint;
    }

    /** The columns that share a scale, if the layers' projections are int4. */
    public OptionalInt int4Group() {
        return int4Group;
    }

    @Override
    public Weight matrix(String name, int rows, int cols) {
        if (isInt4(name)) {
            return int4(name, rows, cols, int4Group.getAsInt());
        }
        TensorInfo tensor = weight(name, List.of((long) rows, (long) cols));
        return new DenseWeight(name, tensor.file(), tensor.dtype(), rows, cols, checkpoint.map(tensor.name()));
    }

    /** As the headers say; no value is read, so scales that cannot be used are found when they are loaded. */
    @Override
    public WeightFormat format(String name, int rows, int cols) {
        if (isInt4(name)) {
            Int4Tensors.of(checkpoint, name, rows, cols, int4Group.getAsInt());
            return new WeightFormat.Int4(int4Group.getAsInt());
        }
        return new WeightFormat.Dense(
                weight(name, List.of((long) rows, (long) cols)).dtype());
    }

    private boolean isInt4(String name) {
        return int4Group.isPresent() && checkpoint.contains(Int4Format.qweight(name));
    }

    @Override
    public float[] vector(String name, int size) {
        TensorInfo tensor = weight(name, List.of((long) size));
        float[] values = new float[size];
        try (TensorWindow window = checkpoint.map(tensor.name())) {
            Floats.widen(window.data(), tensor.dtype(), 0, values, 0, size);
        }
        Floats.requireFinite(tensor.file(), name, 0, values, size);
        return values;
    }

    /**
     * What the tensor of that name in the graph is in the files.
     *
     * @throws ModelException if there is none
     */
    public TensorInfo tensor(String name) {
        if (name.equals(head.names().head()) && !checkpoint.contains(name)) {
            throw ModelException.of(
                    checkpoint.source(),
                    "the weights have no tensor " + ModelException.quote(name)
                            + ", and config.json does not tie it to the embedding (tie_word_embeddings)");
        }
        return checkpoint.tensor(name.equals(head.names().embedding()) ? head.embedding() : name);
    }

    /** All tensors' names but that of an output projection which equals the embedding it is tied to. */
    public List<String> names() {
        return checkpoint.names().stream()
                .filter(name -> !head.isShadowed(checkpoint.tensor(name), checkpoint))
                .toList();
    }

    /** What is odd about the files and does not keep the model from running; to be told once it has loaded. */
    public List<String> notes() {
        List<String> notes = new ArrayList<>(checkpoint.notes());
        head.note().ifPresent(notes::add);
        return notes;
    }

    /**
     * The tensors that nobody has asked for, sorted; once a model has loaded, those that it does not use. Left out are
     * rotary tables, and an output projection that equals the embedding it is tied to.
     */
    public List<String> unusedNames() {
        return names().stream()
                .filter(name -> !used.contains(name))
                .filter(name -> !name.endsWith(ROTARY_TABLE))
                .sorted()
                .toList();
    }

    private static OptionalInt int4Group(Checkpoint checkpoint) {
        String metadata = checkpoint.metadata().get(Int4Format.METADATA_KEY);
        if (metadata != null) {
            OptionalInt group = Int4Format.group(metadata);
            if (group.isEmpty()) {
                throw ModelException.of(
                        checkpoint.source(),
                        "the weights' metadata has quant = " + ModelException.quote(metadata) + "; accepted: "
                                + Int4Format.ACCEPTED);
            }
            if (checkpoint.names().stream().noneMatch(Int4Format::isQweight)) {
                throw ModelException.of(
                        checkpoint.source(),
                        "the weights' metadata has quant = " + ModelException.quote(metadata)
                                + ", but no tensor is quantized; accepted: no quant, or tensors such as"
                                + " \"model.layers.0.mlp.up_proj.weight.qweight\"");
            }
            return group;
        }
        checkpoint.names().stream().filter(Int4Format::isQweight).findFirst().ifPresent(name -> {
            throw ModelException.of(
                    checkpoint.tensor(name).file(),
                    "tensor " + ModelException.quote(name) + " is quantized, but the metadata has no quant; accepted: "
                            + Int4Format.ACCEPTED);
        });
        return OptionalInt.empty();
    }

    private Int4Weight int4(String name, int rows, int cols, int group) {
        Int4Tensors tensors = Int4Tensors.of(checkpoint, name, rows, cols, group);
        TensorInfo qweight = tensors.qweight();
        TensorInfo scales = tensors.scales();
        TensorWindow scalesWindow = checkpoint.map(scales.name());
        try {
            requireUsableScales(scales, scalesWindow.data());
            TensorWindow qweightWindow = checkpoint.map(qweight.name());
            used.add(qweight.name());
            used.add(scales.name());
            return new Int4Weight(name, qweight.file(), rows, cols, group, qweightWindow, scalesWindow);
        } catch (RuntimeException e) {
            scalesWindow.close();
            throw e;
        }
    }

    /** The two tensors of an int4 matrix, of the shapes that config.json makes them. */
    private record Int4Tensors(TensorInfo qweight, TensorInfo scales) {

        static Int4Tensors of(Checkpoint checkpoint, String name, int rows, int cols, int group) {
            if (checkpoint.contains(name)) {
                throw ModelException.of(
                        checkpoint.tensor(name).file(),
                        "tensor " + ModelException.quote(name) + " is there twice, as floats and as int4");
            }
            TensorInfo qweight = checkpoint.tensor(Int4Format.qweight(name));
            QuantizedWeights.requireGroups(qweight.file(), name, cols, group);
            require(qweight, Dtype.U8, List.of((long) rows, cols / 2L));
            TensorInfo scales = checkpoint.tensor(Int4Format.scales(name));
            require(scales, Dtype.F16, List.of((long) rows, (long) cols / group));
            return new Int4Tensors(qweight, scales);
        }
    }

    private static void requireUsableScales(TensorInfo tensor, MemorySegment scales) {
        long count = scales.byteSize() / Short.BYTES;
        for (long i = 0; i < count; i++) {
            short bits = scales.getAtIndex(Floats.HALF, i);
            if ((bits & F16_SIGN) != 0 || (bits & F16_EXPONENT) == F16_EXPONENT) {
                throw ModelException.of(
                        tensor.file(),
                        "tensor " + ModelException.quote(tensor.name()) + " holds the bits 0x"
                                + Integer.toHexString(bits & 0xFFFF) + " at element " + i
                                + "; a scale must be finite and not negative");
            }
        }
    }

    private TensorInfo weight(String name, List<Long> shape) {
        TensorInfo tensor = TiedHead.requireWeight(tensor(name));
        require(tensor, tensor.dtype(), shape);
        used.add(tensor.name());
        return tensor;
    }

    private static void require(TensorInfo tensor, Dtype dtype, List<Long> shape) {
        if (tensor.dtype() != dtype || !tensor.shape().equals(shape)) {
            throw ModelException.of(
                    tensor.file(),
                    "tensor " + ModelException.quote(tensor.name()) + " is " + tensor.dtype() + " " + tensor.shapeText()
                            + "; config.json makes it " + dtype + " " + shape);
        }
    }
}
