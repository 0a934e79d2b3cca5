package io.tutti.kv;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** golden/spec/kv-block.md, against vectors that golden's Python made. */
class KvGoldenTest {
    private static final Path VECTORS = Path.of(System.getProperty("tutti.golden"), "vectors");

    private final JsonNode golden =
            new ObjectMapper().readTree(VECTORS.resolve("kv-block.json").toFile());

    KvGoldenTest() throws IOException {}

    @Test
    void hashesAreGoldens() {
        for (JsonNode root : golden.get("roots")) {
            assertThat(BlockHash.root(root.get("identity").textValue()))
                    .hasToString(root.get("root").textValue());
        }
        BlockHash hash = BlockHash.root(identity());
        for (JsonNode chain : golden.get("chains")) {
            assertThat(hash).hasToString(chain.get("parent").textValue());
            List<Integer> tokens = new ArrayList<>(List.of(-1));
            chain.get("tokens").forEach(token -> tokens.add((int) token.longValue()));
            hash = BlockHash.chain(
                    hash, tokens.stream().mapToInt(Integer::intValue).toArray(), 1, tokens.size());
            assertThat(hash).hasToString(chain.get("hash").textValue());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"kv-block-f16.bin", "kv-block-f32.bin"})
    void envelopesAreGoldensInBothDirections(String name) throws IOException {
        JsonNode file = golden.get("files").get(name);
        byte[] envelope = Files.readAllBytes(VECTORS.resolve(name));
        KvConfig config = config(file);
        try (KvPool pool = new KvPool(config)) {
            assertThat(pool.root()).hasToString(file.get("root").textValue());
            List<KvBlock> blocks = pool.importBlocks(envelope);
            assertThat(blocks).hasSize(file.get("fills").size());
            for (int i = 0; i < blocks.size(); i++) {
                assertThat(pool.fill(blocks.get(i)))
                        .isEqualTo(file.get("fills").get(i).intValue());
            }
            assertThat(file.get("slabs")).hasSize(blocks.size() * config.layers() * 2);
            for (JsonNode slab : file.get("slabs")) {
                KvPart part = KvPart.valueOf(slab.get("kind").textValue().toUpperCase(Locale.ROOT));
                KvBlock block = blocks.get(slab.get("block").intValue());
                assertThat(bits(pool.slab(block, slab.get("layer").intValue(), part), config))
                        .isEqualTo(slab.get("bits").textValue());
            }
            assertThat(pool.exportBlocks(blocks)).isEqualTo(envelope);
            pool.release(blocks);
        }
    }

    private String identity() {
        return golden.get("roots").get(1).get("identity").textValue();
    }

    private KvConfig config(JsonNode file) {
        return new KvConfig(
                file.get("blocks").intValue() + 1,
                file.get("block_tokens").intValue(),
                file.get("layers").intValue(),
                file.get("kv_heads").intValue(),
                file.get("head_dim").intValue(),
                KvDtype.valueOf(file.get("dtype").textValue().toUpperCase(Locale.ROOT)),
                true,
                identity());
    }

    private static String bits(KvSlab slab, KvConfig config) {
        List<String> bits = new ArrayList<>();
        for (int head = 0; head < config.kvHeads(); head++) {
            for (int position = 0; position < config.blockTokens(); position++) {
                for (int dim = 0; dim < config.headDim(); dim++) {
                    bits.add(("%0" + 2 * config.dtype().bytes() + "x").formatted(slab.bits(head, position, dim)));
                }
            }
        }
        return String.join(" ", bits);
    }
}
