package io.tutti.cli.keep;

import io.tutti.cli.console.RefusedException;
import io.tutti.cli.option.RunOptions;
import io.tutti.engine.model.ModelConfig;
import io.tutti.runtime.generate.ChosenTokens;
import io.tutti.runtime.generate.GenerationListener;
import io.tutti.runtime.generate.GenerationRequest;
import io.tutti.runtime.generate.TokenSource;
import io.tutti.sample.SampledToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Shows the JVM how a kept model is used, so that an AOT cache of it holds the classes for that. */
public final class KeptTraining {

    private static final int MOST_TRIES = 100;
    private static final long PAUSE_NANOS = 20_000_000;

    private KeptTraining() {}

    /**
     * Keeps a model in a thread of this process, in a temporary folder, and uses it once. Does nothing on a system that cannot
     * keep models.
     *
     * @param model its files are listed, but not loaded
     */
    public static void run(Path model) throws IOException {
        if (KeptFolder.ofUser().isEmpty()) {
            return;
        }
        Path temporary = Files.createTempDirectory("tutti");
        try {
            KeptFolder folder = new KeptFolder(temporary.resolve("kept"));
            try (KeptPlace place = KeptPlace.take(folder, model).orElseThrow()) {
                use(folder, place, model);
            }
        } catch (RefusedException _) {
            // A temporary folder without locks, say.
        } finally {
            delete(temporary);
        }
    }

    private static void use(KeptFolder folder, KeptPlace place, Path model) throws IOException {
        ModelConfig config = ModelConfig.loadAlone(model);
        RunOptions run = CommandLine.populateCommand(new RunOptions());
        int context = config.context();
        KeptModel kept = KeptModel.wanted(model, config, run, context, Duration.ofMinutes(1))
                .on("host", Optional.empty(), List.of());
        Keeper keeper = new Keeper(place, kept, new Zeros(context));
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try {
                keeper.run();
            } catch (IOException | RefusedException _) {
                // Then it is not found below.
            }
        });
        GenerationRequest request = GenerationRequest.greedy(new int[1], 2);
        Optional<KeptTokens> found = Optional.empty();
        for (int tries = 0; tries < MOST_TRIES && found.isEmpty() && thread.isAlive(); tries++) {
            LockSupport.parkNanos(PAUSE_NANOS);
            found = KeptTokens.find(folder, model, config, run).tokens();
        }
        if (found.isPresent()) {
            try (KeptTokens tokens = found.get();
                    ChosenTokens text = tokens.begin(request, GenerationListener.NONE, () -> false)) {
                text.next();
                text.next();
            }
        }
        keeper.end();
    }

    private static void delete(Path folder) throws IOException {
        List<Path> files;
        try (Stream<Path> tree = Files.walk(folder)) {
            files = tree.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
    }

    /** A model that says nothing but the first token of its vocabulary. */
    private record Zeros(int context) implements TokenSource {

        @Override
        public ChosenTokens begin(GenerationRequest request, GenerationListener listener, BooleanSupplier cancelled) {
            return new ChosenTokens() {
                @Override
                public int reused() {
                    return 0;
                }

                @Override
                public Optional<SampledToken> next() {
                    listener.prefilled(request.prompt().length, request.prompt().length);
                    return Optional.of(new SampledToken(0, 0));
                }

                @Override
                public void close() {}
            };
        }
    }
}
