package io.tutti.modelio.config;

import io.tutti.modelio.ModelException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A directory that is meant to hold a model, and a word for each of the directories that people have by mistake.
 *
 * @param path the directory, which exists
 * @param fileNames what lies in it, sorted
 */
public record ModelDirectory(Path path, List<String> fileNames) {
    /** Hugging Face's tokenizer file. */
    public static final String TOKENIZER = "tokenizer.json";

    /** What lies beside the weights and belongs to a model, where it is there. */
    public static final List<String> COMPANIONS = List.of(
            ConfigFile.NAME,
            GenerationConfig.FILE_NAME,
            TOKENIZER,
            "tokenizer_config.json",
            "tokenizer.model",
            "special_tokens_map.json",
            "added_tokens.json",
            "chat_template.jinja",
            "chat_template.json",
            "vocab.json",
            "merges.txt");

    /** Those of them that Tutti reads; the others are for other programs. */
    public static final List<String> READ = COMPANIONS.stream()
            .filter(name ->
                    !List.of("tokenizer.model", "vocab.json", "merges.txt").contains(name))
            .toList();

    /** What an engine of ours needs, for messages. */
    private static final String NEEDED = "a Hugging Face style directory with config.json and model.safetensors";

    /** Lists {@code dir}; refuses what is no directory. */
    public static ModelDirectory open(Path dir) {
        if (!Files.exists(dir)) {
            throw ModelException.of(dir, "no such directory; a model is " + NEEDED);
        }
        if (!Files.isDirectory(dir)) {
            throw ModelException.of(dir, "is a file; a model is " + NEEDED);
        }
        try (Stream<Path> files = Files.list(dir)) {
            return new ModelDirectory(
                    dir,
                    files.map(file -> file.getFileName().toString()).sorted().toList());
        } catch (IOException e) {
            throw ModelException.io(dir, e);
        }
    }

    public boolean has(String fileName) {
        return fileNames.contains(fileName);
    }

    /** The file of that name, or a refusal that says what the directory looks like instead. */
    public Path require(String fileName) {
        if (!has(fileName)) {
            throw missing(fileName);
        }
        return path.resolve(fileName);
    }

    /** The refusal of a directory that lacks {@code wanted}. */
    public ModelException missing(String wanted) {
        return ModelException.of(path, "has no " + wanted + whatIsThere() + "; needed is " + NEEDED);
    }

    private String whatIsThere() {
        if (fileNames.isEmpty()) {
            return " and is empty";
        }
        if (anyEndsWith(".safetensors")) {
            return "";
        }
        if (anyEndsWith(".gguf")) {
            return ", only GGUF weights, which are not supported";
        }
        if (anyEndsWith(".bin") || anyEndsWith(".pth") || anyEndsWith(".pt")) {
            return ", only PyTorch weights (.bin, .pt, .pth), which can run code when they are loaded";
        }
        return "";
    }

    private boolean anyEndsWith(String suffix) {
        return fileNames.stream().anyMatch(name -> name.endsWith(suffix));
    }
}
