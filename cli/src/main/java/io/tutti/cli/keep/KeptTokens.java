package io.tutti.cli.keep;

import io.tutti.cli.keep.Wire.Question;
import io.tutti.cli.option.RunOptions;
import io.tutti.engine.model.ModelConfig;
import io.tutti.runtime.generate.ChosenTokens;
import io.tutti.runtime.generate.GenerationListener;
import io.tutti.runtime.generate.GenerationRequest;
import io.tutti.runtime.generate.TokenSource;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Tokens of a model that another process keeps. The model stays for as long as this is open. */
public final class KeptTokens implements TokenSource, AutoCloseable {

    private final Path socket;
    private final KeptModel kept;
    private final Circumstances circumstances;
    private final int context;
    private final SocketChannel use;

    private KeptTokens(Path socket, KeptModel kept, Circumstances circumstances, int context, SocketChannel use) {
        this.socket = socket;
        this.kept = kept;
        this.circumstances = circumstances;
        this.context = context;
        this.use = use;
    }

    /**
     * The outcome of a search for a kept model.
     *
     * @param tokens its tokens, if it serves the run
     * @param note why a model that was found does not
     */
    public record Search(Optional<KeptTokens> tokens, Optional<String> note) {

        /** Nothing is kept. */
        public static final Search NONE = new Search(Optional.empty(), Optional.empty());

        private static Search unfit(String reason) {
            return new Search(Optional.empty(), Optional.of(reason));
        }
    }

    /**
     * Looks for the model in {@code directory}, kept in the way that {@code run} asks for.
     *
     * @param config what the run takes the model to be
     */
    public static Search find(KeptFolder folder, Path directory, ModelConfig config, RunOptions run) {
        Path socket;
        try {
            socket = folder.socket(directory);
        } catch (IOException _) {
            return Search.NONE; // The model cannot be read, which loading it will say.
        }
        if (!Files.exists(socket)) {
            return Search.NONE;
        }
        if (!folder.isOursAlone()) {
            return Search.unfit("others can get at " + socket.getParent());
        }
        SocketChannel use;
        try {
            use = Wire.connect(socket);
        } catch (IOException _) {
            return Search.NONE; // It ended without a word.
        }
        Optional<KeptTokens> found = Optional.empty();
        try {
            KeptModel kept = KeptProcess.describe(use, Question.USE);
            Circumstances wanted = Circumstances.of(directory, config, run);
            Optional<String> unfit =
                    kept.busy() ? Optional.of("it is busy with another text") : kept.unfitFor(wanted, run.device());
            if (unfit.isPresent()) {
                return Search.unfit(unfit.get());
            }
            found = Optional.of(new KeptTokens(socket, kept, wanted, config.context(), use));
            return new Search(found, Optional.empty());
        } catch (IOException _) {
            return Search.unfit("it does not answer");
        } finally {
            if (found.isEmpty()) {
                KeptProcess.close(use);
            }
        }
    }

    /** The model, as its process describes it. */
    public KeptModel kept() {
        return kept;
    }

    @Override
    public int context() {
        return context;
    }

    /** @throws KeptGoneException if the process has ended, is busy, or keeps another model by now */
    @Override
    public ChosenTokens begin(GenerationRequest request, GenerationListener listener, BooleanSupplier cancelled) {
        return RemoteText.begin(socket, circumstances, request, listener, cancelled);
    }

    @Override
    public void close() {
        KeptProcess.close(use);
    }
}
