package io.tutti.engine.model;

import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op.Embed;
import io.tutti.engine.graph.Op.SelectOutputs;
import io.tutti.engine.graph.Weight.Matrix;
import io.tutti.modelio.config.ModelConfig;

/** A bigram: the logits are the row of the previous token in a table {@code [vocab, vocab]}. The smallest model there is. */
final class Bigram {

    private Bigram() {}

    static Graph graph(ModelConfig config) {
        int vocab = config.vocabSize();
        Buffer row = Buffer.ofTokens("row", vocab);
        Buffer logits = Buffer.ofOutputs("logits", vocab);
        return Graph.builder()
                .first(new Embed(new Matrix("bigram.weight", vocab, vocab), row))
                .last(new SelectOutputs(row, logits))
                .build(logits);
    }
}
