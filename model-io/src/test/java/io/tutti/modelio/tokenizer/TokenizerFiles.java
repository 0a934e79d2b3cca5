package io.tutti.modelio.tokenizer;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Small tokenizer.json files of the two families that Llama models come with. */
final class TokenizerFiles {
    static final String BOS = "<s>";

    private static final ObjectMapper JSON = new ObjectMapper();

    private TokenizerFiles() {}

    /**
     * Byte-level BPE, as Llama 3 and SmolLM2 have it: id 0 is {@code <s>}, put before a text; 1 to 256 the bytes; then
     * "he", "ll", "hell", "hello", "Ġhello".
     */
    static ObjectNode byteLevel() {
        ObjectNode root = root();
        root.set(
                "pre_tokenizer",
                step("ByteLevel")
                        .put("add_prefix_space", false)
                        .put("trim_offsets", true)
                        .put("use_regex", true));
        root.set(
                "decoder",
                step("ByteLevel")
                        .put("add_prefix_space", true)
                        .put("trim_offsets", true)
                        .put("use_regex", true));
        ObjectNode vocab = JSON.createObjectNode().put(BOS, 0);
        for (int b = 0; b < 256; b++) {
            vocab.put(byteCharacter(b), b + 1);
        }
        ArrayNode merges = JSON.createArrayNode();
        for (String merge : new String[] {"h e", "l l", "he ll", "hell o", "Ġ hello"}) {
            merges.add(merge);
            vocab.put(merge.replace(" ", ""), vocab.size());
        }
        root.set("model", bpe(vocab, merges, false));
        return root;
    }

    /**
     * SentencePiece-like BPE with bytes to fall back on, as Llama 2 has it: id 0 is {@code <unk>}, 1 {@code <s>}, 2 to
     * 257 the bytes {@code <0x00>} to {@code <0xFF>}; then "▁", "a", "b", "▁a", "▁b", "ab".
     */
    static ObjectNode byteFallback() {
        ObjectNode root = root();
        ObjectNode prepend = step("Prepend").put("prepend", "▁");
        ObjectNode spaces = step("Replace").put("content", "▁");
        spaces.putObject("pattern").put("String", " ");
        root.set("normalizer", sequence("normalizers", prepend, spaces));
        ObjectNode back = step("Replace").put("content", " ");
        back.putObject("pattern").put("String", "▁");
        ObjectNode strip = step("Strip").put("content", " ").put("start", 1).put("stop", 0);
        root.set("decoder", sequence("decoders", back, step("ByteFallback"), step("Fuse"), strip));
        ObjectNode vocab = JSON.createObjectNode().put("<unk>", 0).put(BOS, 1);
        for (int b = 0; b < 256; b++) {
            vocab.put("<0x%02X>".formatted(b), b + 2);
        }
        for (String token : new String[] {"▁", "a", "b", "▁a", "▁b", "ab"}) {
            vocab.put(token, vocab.size());
        }
        ArrayNode merges = JSON.createArrayNode().add("▁ a").add("▁ b").add("a b");
        ObjectNode model = bpe(vocab, merges, true);
        model.put("unk_token", "<unk>");
        root.set("model", model);
        root.withArray("added_tokens").add(special(0, "<unk>"));
        ((ObjectNode) root.withArray("added_tokens").get(0)).put("id", 1);
        ((ObjectNode) root.at("/post_processor/special_tokens/" + BOS))
                .putArray("ids")
                .add(1);
        return root;
    }

    /** The same words with the Metaspace decoder, which drops the first space by itself. */
    static ObjectNode metaspace() {
        ObjectNode root = byteFallback();
        root.putNull("normalizer");
        root.set("pre_tokenizer", metaspaceStep());
        root.set("decoder", metaspaceStep());
        return root;
    }

    static ObjectNode step(String type) {
        return JSON.createObjectNode().put("type", type);
    }

    private static ObjectNode metaspaceStep() {
        return step("Metaspace")
                .put("replacement", "▁")
                .put("prepend_scheme", "first")
                .put("split", false);
    }

    private static ObjectNode root() {
        ObjectNode root = JSON.createObjectNode().put("version", "1.0");
        // Files carry what their trainer used; transformers neither cuts nor pads a prompt.
        root.putObject("truncation")
                .put("direction", "Right")
                .put("max_length", 3)
                .put("strategy", "LongestFirst")
                .put("stride", 0);
        root.putObject("padding")
                .put("direction", "Right")
                .put("pad_id", 0)
                .put("pad_type_id", 0)
                .put("pad_token", BOS)
                .putNull("pad_to_multiple_of")
                .putObject("strategy")
                .put("Fixed", 8);
        root.putArray("added_tokens").add(special(0, BOS));
        root.putNull("normalizer");
        root.putNull("pre_tokenizer");
        ObjectNode template = step("TemplateProcessing");
        ArrayNode single = template.putArray("single");
        single.addObject().putObject("SpecialToken").put("id", BOS).put("type_id", 0);
        single.addObject().putObject("Sequence").put("id", "A").put("type_id", 0);
        ArrayNode pair = template.putArray("pair");
        pair.addObject().putObject("Sequence").put("id", "A").put("type_id", 0);
        pair.addObject().putObject("Sequence").put("id", "B").put("type_id", 1);
        ObjectNode bos = template.putObject("special_tokens").putObject(BOS).put("id", BOS);
        bos.putArray("ids").add(0);
        bos.putArray("tokens").add(BOS);
        root.set("post_processor", template);
        return root;
    }

    private static ObjectNode special(int id, String content) {
        return JSON.createObjectNode()
                .put("id", id)
                .put("content", content)
                .put("single_word", false)
                .put("lstrip", false)
                .put("rstrip", false)
                .put("normalized", false)
                .put("special", true);
    }

    private static ObjectNode bpe(ObjectNode vocab, ArrayNode merges, boolean byteFallback) {
        ObjectNode model = step("BPE")
                .putNull("dropout")
                .putNull("unk_token")
                .putNull("continuing_subword_prefix")
                .putNull("end_of_word_suffix")
                .put("fuse_unk", true)
                .put("byte_fallback", byteFallback)
                .put("ignore_merges", false);
        model.set("vocab", vocab);
        model.set("merges", merges);
        return model;
    }

    private static ObjectNode sequence(String name, ObjectNode... steps) {
        ObjectNode sequence = step("Sequence");
        for (ObjectNode step : steps) {
            sequence.withArray(name).add(step);
        }
        return sequence;
    }

    /** GPT-2's printable stand-in for a byte. */
    private static String byteCharacter(int b) {
        int shifted = 256;
        for (int other = 0; other <= b; other++) {
            boolean printable = (other >= '!' && other <= '~') || (other >= 0xA1 && other <= 0xFF && other != 0xAD);
            if (other == b) {
                return Character.toString(printable ? b : shifted);
            }
            shifted += printable ? 0 : 1;
        }
        throw new IllegalArgumentException("not a byte: " + b);
    }
}
