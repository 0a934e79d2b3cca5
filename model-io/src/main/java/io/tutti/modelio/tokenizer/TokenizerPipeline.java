package io.tutti.modelio.tokenizer;

import com.fasterxml.jackson.databind.JsonNode;
import io.tutti.modelio.ModelException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/**
 * The steps of a tokenizer.json around its model. The native library ends the process where a step contradicts itself,
 * so everything that it is known to trip over is refused before it sees the file, and so are steps that nobody has
 * looked at.
 */
final class TokenizerPipeline {
    private static final Set<String> NORMALIZERS = Set.of(
            "BertNormalizer",
            "ByteLevel",
            "Lowercase",
            "NFC",
            "NFD",
            "NFKC",
            "NFKD",
            "Nmt",
            "Precompiled",
            "Prepend",
            "Replace",
            "Sequence",
            "Strip",
            "StripAccents");
    private static final Set<String> PRE_TOKENIZERS = Set.of(
            "BertPreTokenizer",
            "ByteLevel",
            "CharDelimiterSplit",
            "Digits",
            "Metaspace",
            "Punctuation",
            "Sequence",
            "Split",
            "UnicodeScripts",
            "Whitespace",
            "WhitespaceSplit");
    private static final Set<String> POST_PROCESSORS =
            Set.of("BertProcessing", "ByteLevel", "RobertaProcessing", "Sequence", "TemplateProcessing");
    private static final Set<String> DECODERS = Set.of(
            "BPEDecoder",
            "ByteFallback",
            "ByteLevel",
            "CTC",
            "Fuse",
            "Metaspace",
            "Replace",
            "Sequence",
            "Strip",
            "WordPiece");

    private final Path file;

    TokenizerPipeline(Path file) {
        this.file = file;
    }

    void checkNormalizer(JsonNode normalizer) {
        check(normalizer, "normalizer", NORMALIZERS);
    }

    void checkPreTokenizer(JsonNode preTokenizer) {
        check(preTokenizer, "pre_tokenizer", PRE_TOKENIZERS);
    }

    void checkPostProcessor(JsonNode postProcessor) {
        check(postProcessor, "post_processor", POST_PROCESSORS);
    }

    /**
     * Checks the decoder.
     *
     * @return whether it joins tokens that stand for single bytes
     */
    boolean checkDecoder(JsonNode decoder) {
        check(decoder, "decoder", DECODERS);
        return decoder.findValuesAsText("type").contains("ByteFallback");
    }

    private void check(JsonNode step, String what, Set<String> accepted) {
        if (step.isNull()) {
            return;
        }
        String type = step.path("type").asText();
        if (!accepted.contains(type)) {
            throw ModelException.of(
                    file,
                    what + " has the type " + ModelException.quote(type) + "; accepted: " + new TreeSet<>(accepted));
        }
        switch (type) {
            case "Sequence" -> {
                // The list of steps is called after its kind: normalizers, pretokenizers, processors, decoders.
                for (JsonNode list : step) {
                    if (list.isArray()) {
                        list.forEach(inner -> check(inner, what, accepted));
                    }
                }
            }
            case "TemplateProcessing" -> {
                checkTemplate(step, step.path("single"));
                checkTemplate(step, step.path("pair"));
            }
            case "Strip" -> {
                if (step.path("stop").asLong() > 0) {
                    throw ModelException.of(
                            file, what + ".stop = " + step.path("stop") + " is not supported; accepted: 0");
                }
            }
            default -> {}
        }
    }

    /** Every special token that a template names must be defined beside it. */
    private void checkTemplate(JsonNode step, JsonNode template) {
        JsonNode defined = step.path("special_tokens");
        for (JsonNode piece : template) {
            JsonNode special = piece.path("SpecialToken");
            String id = special.path("id").asText();
            if (!special.isMissingNode() && !defined.has(id)) {
                throw ModelException.of(
                        file,
                        "post_processor puts in the special token " + ModelException.quote(id)
                                + ", which its special_tokens do not define");
            }
        }
    }
}
