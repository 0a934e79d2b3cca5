package io.tutti.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tutti.cli.option.EngineOptions;
import io.tutti.runtime.generate.GenerationRequest;
import io.tutti.runtime.generate.GenerationResult;
import java.math.BigInteger;
import java.util.Locale;

/** What {@code generate --json} prints: one object. */
final class GenerateJson {

    private GenerateJson() {}

    static ObjectNode of(
            String device, GenerationRequest request, GenerationResult result, Figures figures, EngineOptions run) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        addAll(object.putArray("prompt_tokens"), request.prompt());
        addAll(object.putArray("tokens"), result.tokens());
        ArrayNode logprobs = object.putArray("logprobs");
        for (double logprob : result.logprobs()) {
            logprobs.add(logprob);
        }
        object.put("text", result.text());
        object.put("finish_reason", result.finish().name().toLowerCase(Locale.ROOT));
        object.put("device", device);
        object.put("seed", new BigInteger(Long.toUnsignedString(request.seed())));
        object.put("kv", run.kv().name().toLowerCase(Locale.ROOT));
        object.put("activations", run.activations().name().toLowerCase(Locale.ROOT));
        figures.addTo(object, result);
        return object;
    }

    private static void addAll(ArrayNode array, int[] values) {
        for (int value : values) {
            array.add(value);
        }
    }
}
