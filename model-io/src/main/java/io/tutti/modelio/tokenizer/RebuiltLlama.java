package io.tutti.modelio.tokenizer;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/**
 * The tokenizer that transformers 5's {@code LlamaTokenizer} builds. It takes the vocabulary, merges and post-processor from
 * tokenizer.json and the added tokens from the files beside it; the rest is its own. Spaces become "▁", and a text that does
 * not begin with one gets one; with {@code legacy} in tokenizer_config.json, so does the text after an added token.
 * golden/spec/tokenizer.md has the details.
 */
final class RebuiltLlama {
    /** The tokens of these names if no file mentions the name. */
    private static final Map<String, String> DEFAULTS =
            Map.of("unk_token", "<unk>", "bos_token", "<s>", "eos_token", "</s>");

    private static final String SPACE = "▁";
    private static final String NULL = "null";

    private RebuiltLlama() {}

    /**
     * That tokenizer as the text of a tokenizer.json.
     *
     * @param file a tokenizer.json whose model is BPE
     * @param text what {@code file} holds
     * @param inFile the added tokens that it lists, by id
     * @throws io.tutti.modelio.ModelException if {@code add_prefix_space} or {@code legacy} is no flag
     */
    static String json(
            Path file, String text, TokenFiles files, DeclaredTokens declared, SortedMap<Integer, AddedToken> inFile) {
        declared.special().addDefaults(DEFAULTS);
        List<AddedToken> tokens = AddedVocabulary.merged(List.of(), declared.toAdd(inFile, Set.of()));
        TokenizerText parts = TokenizerText.read(file, text, AddedToken.contents(tokens));
        Map<String, Integer> ids = AddedVocabulary.ids(tokens, parts.ids(), parts.vocabularySize());
        boolean prefix = flag(files, TokenFiles.ADD_PREFIX_SPACE, true);
        boolean everywhere = flag(files, TokenFiles.LEGACY, false);
        return "{\"version\":\"1.0\",\"truncation\":null,\"padding\":null,\"added_tokens\":"
                + AddedVocabulary.json(tokens, ids)
                + ",\"normalizer\":null,\"pre_tokenizer\":" + metaspace(prefix, everywhere)
                + ",\"post_processor\":"
                + parts.part(TokenizerText.POST_PROCESSOR).orElse(NULL)
                + ",\"decoder\":" + decoder(prefix)
                + ",\"model\":{\"type\":\"BPE\",\"dropout\":null,\"unk_token\":null,\"continuing_subword_prefix\":null,"
                + "\"end_of_word_suffix\":null,\"fuse_unk\":true,\"byte_fallback\":true,\"ignore_merges\":false,\"vocab\":"
                + parts.part(TokenizerText.VOCABULARY).orElse("{}")
                + ",\"merges\":" + parts.part(TokenizerText.MERGES).orElse("[]") + "}}";
    }

    private static boolean flag(TokenFiles files, String key, boolean absent) {
        return TokenFiles.flag(files.configFile(), key, files.config().get(key), absent);
    }

    private static ObjectNode metaspace(boolean prefix, boolean everywhere) {
        String first = everywhere ? "always" : "first";
        return step("Metaspace")
                .put("replacement", SPACE)
                .put("prepend_scheme", prefix ? first : "never")
                .put("split", false);
    }

    private static ObjectNode decoder(boolean prefix) {
        ObjectNode decoder = step("Sequence");
        ArrayNode steps = decoder.putArray("decoders");
        ObjectNode spaces = step("Replace").put("content", " ");
        spaces.putObject("pattern").put("String", SPACE);
        steps.add(spaces).add(step("ByteFallback")).add(step("Fuse"));
        if (prefix) {
            steps.add(step("Strip").put("content", " ").put("start", 1).put("stop", 0));
        }
        return decoder;
    }

    private static ObjectNode step(String type) {
        return JsonNodeFactory.instance.objectNode().put("type", type);
    }
}
