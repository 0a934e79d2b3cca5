package io.tutti.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tutti.cli.option.EngineOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.compare.LayerComparison.Result;
import io.tutti.engine.selftest.Comparison;
import java.util.Locale;

/**
 * A comparison for programs: one object. Numbers that are not finite are null, and so is what there is none of.
 *
 * <ul>
 *   <li>{@code prompt_tokens}, {@code tokens}: ids; the new ones as the first device chose them
 *   <li>{@code kv}: what the cache stored; {@code activations}: what met int4 weights; {@code reference}: the first device's name
 *   <li>{@code devices}: for each {@code device} (its name), {@code self_test} (the verdict, if it was tested),
 *       {@code prompt_ms_per_token} (mean), {@code new_ms_per_token} (median); and for all but the first
 *   <li>{@code compared} logits, {@code differing} of them in {@code differing_bits}, {@code largest_difference}, the same as
 *       {@code relative_difference} of the largest logit, {@code first_differing_position}, {@code same_greedy_tokens}
 *   <li>with {@code --layers}: {@code layers}, for each {@code output} the five figures from {@code compared} on; and
 *       {@code first_differing_op}: {@code op}, the output it is {@code in}, and its five figures
 * </ul>
 */
final class CompareJson {

    private CompareJson() {}

    static ObjectNode of(CompareResult result, ComparedDevices compared, EngineOptions run) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        addAll(object.putArray("prompt_tokens"), result.prompt());
        addAll(object.putArray("tokens"), result.tokens());
        object.put("kv", run.kv().name().toLowerCase(Locale.ROOT));
        object.put("activations", run.activations().name().toLowerCase(Locale.ROOT));
        object.put("reference", result.reference().name());
        ArrayNode devices = object.putArray("devices");
        for (int i = 0; i < result.tracks().size(); i++) {
            TrackFigures track = result.tracks().get(i);
            ObjectNode device = devices.addObject().put("device", track.name());
            addSelfTest(device, compared, track.name());
            put(device, "prompt_ms_per_token", track.promptMillis());
            put(device, "new_ms_per_token", track.newMillis());
            if (i > 0) {
                addDifferences(device, track);
                if (!result.layers().isEmpty()) {
                    addLayers(device, result.layers().get(i - 1));
                }
            }
        }
        return object;
    }

    private static void addSelfTest(ObjectNode object, ComparedDevices compared, String name) {
        for (Device device : compared.devices()) {
            if (device.name().equals(name) && compared.verdicts().containsKey(device)) {
                object.put("self_test", compared.verdicts().get(device).text());
            }
        }
    }

    private static void addDifferences(ObjectNode object, TrackFigures track) {
        add(object, track.logits());
        if (track.firstDifferingPosition() < 0) {
            object.putNull("first_differing_position");
        } else {
            object.put("first_differing_position", track.firstDifferingPosition());
        }
        object.put("same_greedy_tokens", track.sameGreedyTokens());
    }

    private static void addLayers(ObjectNode object, Result layers) {
        ArrayNode array = object.putArray("layers");
        layers.stages().forEach(stage -> add(array.addObject().put("output", stage.stage()), stage.output()));
        layers.first()
                .ifPresentOrElse(
                        first -> add(
                                object.putObject("first_differing_op")
                                        .put("op", first.op())
                                        .put("in", first.stage()),
                                first.output()),
                        () -> object.putNull("first_differing_op"));
    }

    private static void add(ObjectNode object, Comparison comparison) {
        object.put("compared", comparison.compared());
        object.put("differing", comparison.differing());
        object.put("differing_bits", comparison.differingBits());
        put(object, "largest_difference", comparison.largestDifference());
        put(object, "relative_difference", comparison.relative());
    }

    private static void put(ObjectNode object, String name, double value) {
        if (Double.isFinite(value)) {
            object.put(name, value);
        } else {
            object.putNull(name);
        }
    }

    private static void addAll(ArrayNode array, int[] values) {
        for (int value : values) {
            array.add(value);
        }
    }
}
