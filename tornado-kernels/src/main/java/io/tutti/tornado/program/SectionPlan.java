package io.tutti.tornado.program;

import io.tutti.engine.graph.Activations;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Graph.Part;
import io.tutti.engine.graph.Graph.Place;
import io.tutti.engine.graph.Op;
import io.tutti.engine.graph.Weight;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.kv.KvPart;
import io.tutti.kv.KvPool;
import io.tutti.kv.KvRegion;
import io.tutti.modelio.weights.WeightFormat;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.tornado.program.FusedOp.Linear;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Cuts a graph into sections. Layers share one as long as their matrices are stored alike, each op's matrices together fit
 * one buffer of the device, and their cache lies in one region.
 */
final class SectionPlan {

    private final Graph graph;
    private final WeightSource source;
    private final KvPool pool;
    private final DeviceLimits limits;
    private final Map<String, WeightFormat> formats = new HashMap<>();

    SectionPlan(Graph graph, WeightSource source, KvPool pool, DeviceLimits limits) {
        this.graph = graph;
        this.source = source;
        this.pool = pool;
        this.limits = limits;
    }

    /** The sections, in the order in which they run; those without ops are left out. */
    List<Section> sections() {
        Fusion fusion = new Fusion(graph, this::areAlike);
        List<Section> sections = new ArrayList<>();
        Map<Part, List<FusedOp>> fused = new HashMap<>();
        for (Place place : graph.places()) {
            List<FusedOp> ops = fused.computeIfAbsent(place.part(), fusion::fuse);
            if (ops.isEmpty()) {
                continue;
            }
            if (!sections.isEmpty() && goesOn(sections.getLast(), place)) {
                sections.add(sections.removeLast().withOneLayerMore());
            } else {
                sections.add(new Section(place.part(), name(place), ops, place.layer(), 1));
            }
        }
        sections.forEach(this::requireBuffers);
        return sections;
    }

    /** A word for task graphs and messages. */
    private static String name(Place place) {
        return switch (place.part()) {
            case Part.Prologue _ -> "prologue";
            case Part.Layer _ -> "layers" + place.layer().orElseThrow();
            case Part.Epilogue _ -> "epilogue";
        };
    }

    /** Whether the layer at {@code place} can go with those of a section. */
    private boolean goesOn(Section section, Place place) {
        return place.part() instanceof Part.Layer
                && place.part().equals(section.part())
                && isRunOn(
                        section.ops(),
                        section.firstLayer().orElseThrow(),
                        place.layer().orElseThrow());
    }

    /** The most numbers that a mapping keeps of a row which a linear layer takes in int8; 0 if none takes any. */
    int quantizedStride(List<Section> sections, Mapping mapping) {
        int most = 0;
        for (Section section : sections) {
            for (FusedOp op : section.ops()) {
                if (op instanceof Linear linear
                        && linear.activations() == Activations.INT8
                        && format(linear.weights().getFirst(), section.firstLayer())
                                instanceof WeightFormat.Int4(int group)) {
                    most = Math.max(most, mapping.quantizedStride(linear.cols(), group));
                }
            }
        }
        return most;
    }

    /** How a matrix is stored. */
    WeightFormat format(Matrix weight, OptionalInt layer) {
        return formats.computeIfAbsent(weight.name(layer), name -> source.format(name, weight.rows(), weight.cols()));
    }

    private boolean areAlike(Matrix a, Matrix b) {
        return layersOf(a).stream().allMatch(layer -> format(a, layer).equals(format(b, layer)));
    }

    private List<OptionalInt> layersOf(Matrix weight) {
        return weight.name().contains(Weight.LAYER)
                ? IntStream.range(0, graph.layers().size())
                        .mapToObj(OptionalInt::of)
                        .toList()
                : List.of(OptionalInt.empty());
    }

    /** Whether layer {@code next} can go with those from {@code first} on. */
    private boolean isRunOn(List<FusedOp> ops, int first, int next) {
        return ops.stream().allMatch(op -> switch (op) {
            case Linear linear -> {
                Matrix any = linear.weights().getFirst();
                WeightFormat format = format(any, OptionalInt.of(first));
                yield format.equals(format(any, OptionalInt.of(next)))
                        && bytes(linear, format) * (next + 1 - first) <= limits.arrayBytes();
            }
            case FusedOp.Plain(Op.Attention _), FusedOp.Plain(Op.WriteKv _) ->
                region(first).equals(region(next));
            case FusedOp.Plain _, FusedOp.HeadNorms _, FusedOp.Rotation _ -> true;
        });
    }

    private static long bytes(Linear linear, WeightFormat format) {
        return DeviceMatrix.bytes(format, linear.rows(), linear.cols());
    }

    /** The region with the layer's keys; that with its values holds the same layers. */
    private KvRegion region(int layer) {
        return pool.layer(layer, KvPart.K).region();
    }

    private void requireBuffers(Section section) {
        for (FusedOp op : section.ops()) {
            OptionalInt layer = section.firstLayer();
            switch (op) {
                case Linear l ->
                    requireBuffer(
                            l.weights().getFirst(),
                            layer,
                            bytes(l, format(l.weights().getFirst(), layer)));
                case FusedOp.Plain(Op.Embed e) ->
                    requireBuffer(
                            e.table(),
                            layer,
                            DeviceMatrix.bytes(
                                    format(e.table(), layer),
                                    e.table().rows(),
                                    e.table().cols()));
                case FusedOp.Plain _, FusedOp.HeadNorms _, FusedOp.Rotation _ -> {}
            }
        }
    }

    private void requireBuffer(Matrix weight, OptionalInt layer, long bytes) {
        if (bytes > limits.arrayBytes()) {
            throw limits.refusal("tensor %s takes a buffer of %d bytes; accepted: at most %d"
                    .formatted(weight.name(layer), bytes, limits.arrayBytes()));
        }
    }
}
