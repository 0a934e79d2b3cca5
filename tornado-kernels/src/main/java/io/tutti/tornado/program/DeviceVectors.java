package io.tutti.tornado.program;

import io.tutti.engine.graph.Op.RmsNorm;
import io.tutti.engine.graph.Weight.Vector;
import io.tutti.modelio.weights.WeightSource;
import io.tutti.tornado.kernel.Bias;
import io.tutti.tornado.program.FusedOp.HeadNorms;
import io.tutti.tornado.program.FusedOp.Linear;
import io.tutti.tornado.program.FusedOp.Plain;
import io.tutti.tornado.program.FusedOp.Rotation;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;

/**
 * The weights that are vectors, norms' scales and biases: those of all ops and layers, at the beginning of a program's array of
 * values. Some kernels have no parameter left for an array of them.
 */
final class DeviceVectors {

    private final Map<Key, Place> places = new LinkedHashMap<>();
    private long size;

    /** Places those of all sections. */
    DeviceVectors(List<Section> sections) {
        for (Section section : sections) {
            for (FusedOp op : section.ops()) {
                List<Vector> parts = parts(op);
                Key key = new Key(parts, section.firstLayer());
                if (!parts.isEmpty() && !places.containsKey(key)) {
                    places.put(
                            key, new Place(size, stride(op), section.eachLayer().toList()));
                    size += (long) section.layers() * stride(op);
                }
            }
        }
    }

    /** The vectors of an op in each layer of a section. */
    private record Key(List<Vector> parts, OptionalInt firstLayer) {}

    /**
     * Where they are, end to end.
     *
     * @param stride numbers from a layer's to the next layer's
     */
    private record Place(long at, int stride, List<OptionalInt> layers) {}

    private static List<Vector> parts(FusedOp op) {
        return switch (op) {
            case Plain(RmsNorm norm) -> List.of(norm.scale());
            case HeadNorms norms -> norms.scales();
            case Linear linear -> linear.biases();
            case Plain _, Rotation _ -> List.of();
        };
    }

    private static int stride(FusedOp op) {
        return op instanceof Linear linear
                ? Bias.stride(linear.rows())
                : parts(op).stream().mapToInt(Vector::length).sum();
    }

    /** How many numbers they are. */
    long size() {
        return size;
    }

    /** Bytes of all vectors. */
    long bytes() {
        return size * Float.BYTES;
    }

    /** Where an op's begin in the values for the first layer of a section; {@link Bias#NONE} if it has none. */
    int at(Section section, FusedOp op) {
        return at(section, op, 0);
    }

    /** The same for a layer by its number within the section. */
    int at(Section section, FusedOp op, int layer) {
        Place place = places.get(new Key(parts(op), section.firstLayer()));
        return place == null ? Bias.NONE : Math.toIntExact(place.at() + (long) layer * place.stride());
    }

    /** Fills the beginning of {@code values}. */
    void load(WeightSource source, FloatArray values, Loading loading) {
        Set<String> loaded = new HashSet<>();
        places.forEach((key, place) -> {
            long layerAt = place.at();
            for (OptionalInt layer : place.layers()) {
                int at = Math.toIntExact(layerAt);
                for (Vector part : key.parts()) {
                    String name = part.name(layer);
                    for (float value : source.vector(name, part.length())) {
                        values.set(at++, value);
                    }
                    if (loaded.add(name)) {
                        loading.loaded();
                    }
                }
                layerAt += place.stride();
            }
        });
    }
}
