package io.tutti.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.safetensors.SafetensorsWriter;
import io.tutti.modelio.safetensors.SafetensorsWriter.Declaration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A Llama that goes on with a script, in Hugging Face's layout: each token of the script follows the one before it, and the first
 * follows a line break. Ids below 256 are the bytes; the special tokens come after them.
 */
final class ScriptedModel {
    static final int FIRST_SPECIAL = 256;

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int LINE_BREAK = '\n';

    private final Path folder;
    private final List<String> specials;

    /** A model in {@code folder}, which has these special tokens. */
    ScriptedModel(Path folder, String... specials) {
        this.folder = folder;
        this.specials = List.of(specials);
    }

    int id(String special) {
        return FIRST_SPECIAL + specials.indexOf(special);
    }

    String path() {
        return folder.toString();
    }

    /**
     * Writes the model.
     *
     * @param script texts and special tokens, with no byte and no token twice
     * @param config further keys of config.json
     */
    ScriptedModel write(String config, String... script) throws IOException {
        Files.createDirectories(folder);
        int vocabulary = FIRST_SPECIAL + specials.size();
        int hidden = Math.ceilDiv(vocabulary, 64) * 64;
        file("config.json", """
                {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": %d, "intermediate_size": 8,
                 "num_hidden_layers": 1, "num_attention_heads": %d, "vocab_size": %d, "max_position_embeddings": 512, %s}
                """.formatted(hidden, hidden / 64, vocabulary, config));
        tokenizer();
        weights(vocabulary, hidden, next(script));
        return this;
    }

    ScriptedModel file(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
        return this;
    }

    private int[] next(String... script) {
        List<Integer> ids = new ArrayList<>(List.of(LINE_BREAK));
        for (String part : script) {
            if (specials.contains(part)) {
                ids.add(id(part));
            } else {
                for (byte b : part.getBytes(StandardCharsets.UTF_8)) {
                    ids.add(b & 0xFF);
                }
            }
        }
        int[] next = new int[FIRST_SPECIAL + specials.size()];
        Arrays.fill(next, '?');
        for (int i = 1; i < ids.size(); i++) {
            next[ids.get(i - 1)] = ids.get(i);
        }
        return next;
    }

    private void tokenizer() throws IOException {
        ObjectNode root = JSON.createObjectNode();
        root.put("version", "1.0");
        var added = root.putArray("added_tokens");
        for (String special : specials) {
            added.addObject()
                    .put("id", id(special))
                    .put("content", special)
                    .put("single_word", false)
                    .put("lstrip", false)
                    .put("rstrip", false)
                    .put("normalized", false)
                    .put("special", true);
        }
        root.putObject("pre_tokenizer")
                .put("type", "ByteLevel")
                .put("add_prefix_space", false)
                .put("trim_offsets", true)
                .put("use_regex", true);
        root.putObject("decoder")
                .put("type", "ByteLevel")
                .put("add_prefix_space", true)
                .put("trim_offsets", true)
                .put("use_regex", true);
        ObjectNode model = root.putObject("model").put("type", "BPE");
        model.putArray("merges");
        ObjectNode vocabulary = model.putObject("vocab");
        int strange = 0;
        for (int b = 0; b < 256; b++) {
            boolean itself = (b > ' ' && b < 127) || (b > 160 && b != 173);
            vocabulary.put(Character.toString(itself ? b : 256 + strange++), b);
        }
        file("tokenizer.json", root.toString());
    }

    /** Embeddings tell tokens apart, the layer adds nothing, and the head has a one where the next token's row meets this one. */
    private void weights(int vocabulary, int hidden, int[] next) throws IOException {
        float[] embedding = new float[vocabulary * hidden];
        float[] head = new float[vocabulary * hidden];
        for (int token = 0; token < vocabulary; token++) {
            embedding[token * hidden + token] = 1;
            head[next[token] * hidden + token] = 1;
        }
        float[] ones = new float[hidden];
        Arrays.fill(ones, 1);
        String layer = "model.layers.0.";
        List<Declaration> declarations = new ArrayList<>();
        declare(declarations, "model.embed_tokens.weight", vocabulary, hidden);
        declare(declarations, "lm_head.weight", vocabulary, hidden);
        for (String name : List.of("q_proj", "k_proj", "v_proj", "o_proj")) {
            declare(declarations, layer + "self_attn." + name + ".weight", hidden, hidden);
        }
        declare(declarations, layer + "mlp.gate_proj.weight", 8, hidden);
        declare(declarations, layer + "mlp.up_proj.weight", 8, hidden);
        declare(declarations, layer + "mlp.down_proj.weight", hidden, 8);
        List<String> norms = List.of(
                "model.norm.weight", layer + "input_layernorm.weight", layer + "post_attention_layernorm.weight");
        norms.forEach(norm -> declare(declarations, norm, hidden));
        SafetensorsWriter.write(folder.resolve("model.safetensors"), Map.of(), declarations, writer -> {
            for (Declaration tensor : declarations) {
                writer.put(
                        tensor.name(),
                        0,
                        switch (tensor.name()) {
                            case "model.embed_tokens.weight" -> embedding;
                            case "lm_head.weight" -> head;
                            default -> norms.contains(tensor.name()) ? ones : new float[elements(tensor)];
                        });
            }
        });
    }

    private static void declare(List<Declaration> declarations, String name, long... shape) {
        declarations.add(
                new Declaration(name, Dtype.F32, Arrays.stream(shape).boxed().toList()));
    }

    private static int elements(Declaration tensor) {
        return Math.toIntExact(tensor.shape().stream().reduce(1L, Math::multiplyExact));
    }
}
