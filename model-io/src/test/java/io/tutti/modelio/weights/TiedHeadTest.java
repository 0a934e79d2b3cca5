package io.tutti.modelio.weights;

import static io.tutti.modelio.Models.safetensors;
import static io.tutti.modelio.Models.write;
import static io.tutti.modelio.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.modelio.Models;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an output projection in the file of a tied model does, as transformers 5.24 has it. */
class TiedHeadTest {
    private static final String EMBEDDING = "model.embed_tokens.weight";
    private static final String HEAD = "lm_head.weight";
    /** 1, -2, 0.5, 3 as each type has them. */
    private static final String F32 = "0000803F000000C00000003F00004040";

    private static final String BF16 = "803F00C0003F4040";
    private static final String F16 = "003C00C000380042";

    @TempDir
    Path dir;

    private boolean tied = true;

    @ParameterizedTest
    @CsvSource({
        "F32,F32," + F32 + "," + F32,
        "BF16,BF16," + BF16 + "," + BF16,
        "BF16,F32," + BF16 + "," + F32,
        "F16,BF16," + F16 + "," + BF16
    })
    void anEqualHeadIsKeptOnceWhateverItsType(String type, String headType, String embedding, String head) {
        Weights weights = open(tensor(EMBEDDING, type, embedding), tensor(HEAD, headType, head));

        assertThat(weights.head().isTied()).isTrue();
        assertThat(weights.notes()).isEmpty();
        assertThat(weights.names()).containsExactly(EMBEDDING);
        assertThat(weights.unusedNames()).containsExactly(EMBEDDING);
        assertThat(weights.checkpoint().names()).containsExactlyInAnyOrder(EMBEDDING, HEAD);
    }

    @ParameterizedTest
    @CsvSource({
        "F32,F32," + F32 + ",0000803F000000C00000003F01004040",
        "BF16,BF16," + BF16 + ",803F00C0003F4140",
        "BF16,F32," + BF16 + ",0000803F000000C00000003F01004040",
        "F16,BF16," + F16 + ",813F00C0003F4040"
    })
    void aHeadThatDiffersMakesTheLogitsAndANoteSaysSo(String type, String headType, String embedding, String head) {
        Weights weights = open(tensor(EMBEDDING, type, embedding), tensor(HEAD, headType, head));

        assertThat(weights.head().isTied()).isFalse();
        assertThat(weights.notes())
                .containsExactly("lm_head.weight differs from the embedding, so it makes the logits, although"
                        + " config.json ties the two (tie_word_embeddings)");
        assertThat(weights.unusedNames()).containsExactly(HEAD, EMBEDDING);
    }

    @Test
    void aHeadStandsForAnEmbeddingThatIsNotThere() {
        Weights weights = open(tensor(HEAD, "F32", F32));

        assertThat(weights.head().isTied()).isTrue();
        try (DenseWeight embedding = (DenseWeight) weights.matrix(EMBEDDING, 2, 2)) {
            float[] row = new float[2];
            embedding.row(1, row);
            assertThat(row).containsExactly(0.5f, 3);
        }
        assertThat(weights.tensor(EMBEDDING).name()).isEqualTo(HEAD);
        assertThat(weights.names()).containsExactly(HEAD);
        assertThat(weights.unusedNames()).isEmpty();
        assertThat(weights.notes())
                .containsExactly("the weights have no model.embed_tokens.weight: lm_head.weight, to which config.json"
                        + " ties it (tie_word_embeddings), stands for it");
    }

    @Test
    void aHeadOfAnotherShapeIsIgnoredAndTold() {
        Weights weights = open(tensor(EMBEDDING, "F32", F32), tensor(HEAD, "F32", "[1,2]", F32.substring(0, 16)));
        weights.matrix(EMBEDDING, 2, 2).close();

        assertThat(weights.head().isTied()).isTrue();
        assertThat(weights.unusedNames()).containsExactly(HEAD);
    }

    @Test
    void aHeadThatCannotBeComparedIsRefused() {
        assertRefused(
                () -> open(tensor(EMBEDDING, "F32", F32), tensor(HEAD, "I32", F32)),
                HEAD,
                "is I32; accepted: F32, F16, BF16");
    }

    @Test
    void anUntiedModelWithoutAHeadOrAnEmbeddingIsRefused() {
        tied = false;
        Weights bare = open(tensor(EMBEDDING, "F32", F32));
        assertThat(bare.head().isTied()).isFalse();
        assertRefused(
                () -> bare.matrix(HEAD, 2, 2),
                "no tensor \"lm_head.weight\", and config.json does not tie it to the embedding (tie_word_embeddings)");
        Weights headOnly = open(tensor(HEAD, "F32", F32));
        assertRefused(() -> headOnly.matrix(EMBEDDING, 2, 2), "no tensor \"model.embed_tokens.weight\"");
    }

    private record Tensor(String name, String type, String shape, String hex) {}

    private static Tensor tensor(String name, String type, String hex) {
        return tensor(name, type, "[2,2]", hex);
    }

    private static Tensor tensor(String name, String type, String shape, String hex) {
        return new Tensor(name, type, shape, hex);
    }

    private Weights open(Tensor... tensors) {
        StringBuilder header = new StringBuilder();
        StringBuilder data = new StringBuilder();
        for (Tensor tensor : tensors) {
            int begin = data.length() / 2;
            data.append(tensor.hex());
            header.append(header.isEmpty() ? "{" : ",")
                    .append("\"%s\":{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":[%d,%d]}"
                            .formatted(tensor.name(), tensor.type(), tensor.shape(), begin, data.length() / 2));
        }
        write(dir, "model.safetensors", safetensors(header + "}", HexFormat.of().parseHex(data)));
        return Weights.open(dir, Models.head(tied));
    }
}
