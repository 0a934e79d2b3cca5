package io.tutti.engine.backend;

import io.tutti.engine.graph.Graph;
import io.tutti.modelio.weights.WeightSource;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Something in a graph that a device has no kernel for.
 *
 * @param op the op's name
 * @param attribute which of its attributes it is, and of which weight: {@code the table embed_tokens.weight}
 * @param value what that is
 * @param accepted what it may be
 */
public record Unsupported(String op, String attribute, String value, String accepted) {

    /**
     * Refuses a graph that the device cannot run, before a byte of its weights is loaded.
     *
     * @throws DeviceException naming all that it cannot run
     */
    public static void requireNone(Device device, Graph graph, WeightSource weights) {
        List<Unsupported> missing = device.unsupported(graph, weights);
        if (!missing.isEmpty()) {
            throw new DeviceException("device " + device.name() + " cannot run "
                    + missing.stream().map(Unsupported::text).collect(Collectors.joining("; ")));
        }
    }

    /** For people: {@code Embed with the table embed_tokens.weight in int4; accepted: f32, f16, bf16}. */
    public String text() {
        return "%s with %s in %s; accepted: %s".formatted(op, attribute, value, accepted);
    }
}
