package io.tutti.engine.model;

import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op.Embed;
import io.tutti.engine.graph.Op.SelectOutputs;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.modelio.config.JsonFields;
import java.util.List;

/** A bigram: the logits are the row of the previous token in a table {@code [vocab, vocab]}. The smallest model there is. */
final class Bigram implements Architecture {

    private static final int DEFAULT_CONTEXT = 2048;

    @Override
    public String modelType() {
        return "bigram";
    }

    @Override
    public String causalLm() {
        return "";
    }

    @Override
    public boolean isTied(JsonFields fields) {
        return false;
    }

    @Override
    public Plan plan(JsonFields fields, boolean tied) {
        int vocab = fields.requiredSize("vocab_size");
        DecoderKeys.requireProduct(fields, "vocab_size * vocab_size", vocab, vocab);
        int context = fields.size("max_position_embeddings").orElse(DEFAULT_CONTEXT);
        Buffer row = Buffer.ofTokens("row", vocab);
        Buffer logits = Buffer.ofOutputs("logits", vocab);
        Graph graph = Graph.builder()
                .first(new Embed(new Matrix("bigram.weight", vocab, vocab), row))
                .last(new SelectOutputs(row, logits))
                .build(logits);
        return new Plan(graph, new Context(context), List.of());
    }
}
