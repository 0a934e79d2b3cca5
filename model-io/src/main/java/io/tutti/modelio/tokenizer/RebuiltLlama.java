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
 * The tokenizer that transformers 5's {@code LlamaTokenizer} builds: vocabulary, merges and post-processor are
 * tokenizer.json's, the added tokens those of the files beside it, and all else is its own. Spaces become "▁", a text that
 * begins with none gets one, and where tokenizer_config.json says {@code legacy}, so does what follows an added token.
 */
final class RebuiltLlama {
    /** Tokens that it has if the files name no others. */
    private static final Map<String, String> DEFAULTS =
            Map.of("unk_token", "<unk>", "bos_token", "<s>", "eos_token", "</s>");

    private static final String SPACE = "▁";
    private static final String NULL = "null";

    private RebuiltLlama() {}

    /**
     * The text of a tokenizer.json for it.
     *
     * @param file a tokenizer.json whose model is BPE, with the given text
     * @param inFile the added tokens that it lists, by id
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
                + TokenizerText.json(tokens, ids)
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
        return switch (files.config().get(key)) {
            case null -> absent;
            case Boolean flag -> flag;
            case Object other -> throw SpecialTokens.refuse(files.configFile(), key, other, "true or false");
        };
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
