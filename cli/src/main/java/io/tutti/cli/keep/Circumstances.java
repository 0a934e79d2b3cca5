package io.tutti.cli.keep;

import io.tutti.cli.option.RunOptions;
import io.tutti.engine.graph.Activations;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.selftest.BuildChecksum;
import io.tutti.kv.KvDtype;
import io.tutti.modelio.ModelException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a run's tokens depend on besides the request, and what its user asked for. A kept model serves a run only if all of
 * these are the same.
 *
 * @param build of Tutti
 * @param files the model's configuration and weights: where, how large, how old
 * @param config what the model was taken to be
 * @param threads of the host
 * @param kv what the cache stores
 * @param quantGroup of weights that were quantized at load
 * @param activations what enters int4 weights
 */
record Circumstances(
        String build,
        String files,
        String config,
        int threads,
        KvDtype kv,
        OptionalInt quantGroup,
        Activations activations) {

    /**
     * The circumstances of a run of the model in {@code directory}.
     *
     * @param config what the run takes the model to be
     * @param run the run's options
     * @throws ModelException if the files cannot be read
     */
    static Circumstances of(Path directory, ModelConfig config, RunOptions run) {
        try {
            return new Circumstances(
                    BuildChecksum.ofClassPath(),
                    files(directory.toRealPath()),
                    text(config),
                    run.threads(),
                    run.kv(),
                    run.quantGroup(),
                    run.activations());
        } catch (IOException e) {
            throw ModelException.io(directory, e);
        }
    }

    /** What decides the tokens. End tokens are left out: the asking side watches for them. */
    private static String text(ModelConfig config) {
        return config.graph().text() + "\ncontext " + config.context();
    }

    private static String files(Path directory) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(directory)) {
            files = all.filter(Circumstances::decidesTokens).sorted().toList();
        }
        StringBuilder text = new StringBuilder(directory.toString());
        for (Path file : files) {
            BasicFileAttributes is = Files.readAttributes(file, BasicFileAttributes.class);
            text.append('\n').append(file.getFileName()).append(' ').append(is.size());
            text.append(' ').append(is.lastModifiedTime()).append(' ').append(is.fileKey());
        }
        return text.toString();
    }

    private static boolean decidesTokens(Path file) {
        String name = file.getFileName().toString();
        return (name.equals("config.json") || name.endsWith(".safetensors") || name.endsWith(".index.json"))
                && Files.exists(file);
    }

    /** Why a model kept in these circumstances cannot serve a run in {@code other}, in words; empty if it can. */
    Optional<String> differenceFrom(Circumstances other) {
        if (!build.equals(other.build)) {
            return Optional.of("it is of another build of Tutti");
        }
        if (!files.equals(other.files)) {
            return Optional.of("its files have changed since");
        }
        if (!config.equals(other.config)) {
            return Optional.of("it has another --context");
        }
        String options = options();
        return options.equals(other.options()) ? Optional.empty() : Optional.of("it has " + options);
    }

    /** The options to type for these circumstances. */
    String options() {
        return Stream.of(
                        "--kv " + kv.name().toLowerCase(Locale.ROOT),
                        quantGroup.isPresent() ? "--quant int4:" + quantGroup.getAsInt() : "",
                        activations == Activations.F32
                                ? ""
                                : "--activations " + activations.name().toLowerCase(Locale.ROOT),
                        "--threads " + threads)
                .filter(option -> !option.isEmpty())
                .collect(Collectors.joining(" "));
    }
}
