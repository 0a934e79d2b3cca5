package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import io.tutti.cli.keep.KeptFolder;
import io.tutti.cli.keep.KeptGoneException;
import io.tutti.cli.keep.KeptTokens;
import io.tutti.cli.keep.KeptTokens.Search;
import io.tutti.cli.option.AloneOption;
import io.tutti.cli.option.RunOptions;
import io.tutti.engine.host.warmup.WarmUp;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.runtime.Model;
import io.tutti.runtime.ModelFiles;
import io.tutti.runtime.generate.ChosenTokens;
import io.tutti.runtime.generate.GenerationListener;
import io.tutti.runtime.generate.GenerationRequest;
import io.tutti.runtime.generate.TokenSource;
import io.tutti.sample.SampledToken;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The model of a run: one that another process keeps loaded, or else one that this process loads. If a kept model is busy or ends,
 * even in the middle of a text, this process loads its own and goes on: the tokens are the same.
 */
final class ReadyModel implements TokenSource, AutoCloseable {

    private static final String ALONE = "; this run loads the model itself";

    private final ModelFiles files;
    private final EngineConfig engine;
    private final RunOptions run;
    private final Console console;
    private KeptTokens kept;
    private Model own;
    private TokenSource ownTokens;

    private ReadyModel(ModelFiles files, EngineConfig engine, RunOptions run, Console console, KeptTokens kept) {
        this.files = files;
        this.engine = engine;
        this.run = run;
        this.console = console;
        this.kept = kept;
    }

    /** Looks for a kept model; {@link #open} takes what was found. */
    static Search search(ModelFiles files, RunOptions run, AloneOption alone) {
        if (alone.alone()) {
            return Search.NONE;
        }
        return KeptFolder.ofUser()
                .map(folder -> KeptTokens.find(folder, files.directory(), files.config(), run))
                .orElse(Search.NONE);
    }

    /** Begins what can be done for the first token before the prompt is known. The caller ends it after {@link #open}. */
    static WarmUp warmUp(Search search, ModelFiles files, RunOptions run) {
        return search.tokens().isPresent() ? WarmUp.none() : files.warmUp(run.device(), run.engine(1, 1));
    }

    /**
     * Takes the kept model, or else loads one; then says what there is to say of the device and of the files.
     *
     * @param engine how to run it in this process
     * @param positions that the run may fill
     */
    static ReadyModel open(
            Search search, ModelFiles files, EngineConfig engine, int positions, RunOptions run, Console console) {
        Optional<KeptTokens> fits =
                search.tokens().filter(tokens -> positions <= tokens.kept().room());
        ReadyModel model = new ReadyModel(files, engine, run, console, fits.orElse(null));
        if (fits.isPresent()) {
            fits.get().kept().note().lines().forEach(console::note);
            return model;
        }
        search.tokens().ifPresent(KeptTokens::close);
        Optional<String> unfit = search.tokens()
                .map(tokens ->
                        "it has room for " + tokens.kept().room() + " tokens, and this run may need " + positions)
                .or(search::note);
        try {
            model.load();
        } catch (RuntimeException | Error e) {
            model.close();
            throw e;
        }
        unfit.ifPresent(reason -> console.note("the kept model is not used: " + reason));
        return model;
    }

    private void load() {
        own = ModelLoading.load(files, engine, run, console);
        ownTokens = own.tokens();
    }

    /** The name of the device that the tokens come from. */
    String device() {
        return own != null ? own.device().name() : kept.kept().device();
    }

    /** How long loading took; 0 for a kept model. */
    long loadNanos() {
        return own != null ? own.loadNanos() : 0;
    }

    @Override
    public int context() {
        return files.config().context();
    }

    @Override
    public ChosenTokens begin(GenerationRequest request, GenerationListener listener, BooleanSupplier cancelled) {
        if (kept == null) {
            return ownTokens.begin(request, listener, cancelled);
        }
        try {
            return new Continued(kept.begin(request, listener, cancelled), request, listener, cancelled);
        } catch (KeptGoneException e) {
            goAlone(e);
            return ownTokens.begin(request, listener, cancelled);
        }
    }

    private void goAlone(KeptGoneException reason) {
        console.note("the kept model is not used any more: " + reason.getMessage() + ALONE);
        kept.close();
        kept = null;
        load();
    }

    @Override
    public void close() {
        if (kept != null) {
            kept.close();
        }
        if (own != null) {
            own.close();
        }
    }

    /** A kept model's text, which this process takes over if the kept model goes away. */
    private final class Continued implements ChosenTokens {
        private final GenerationRequest request;
        private final GenerationListener listener;
        private final BooleanSupplier cancelled;
        private ChosenTokens tokens;
        private int given;

        Continued(
                ChosenTokens tokens,
                GenerationRequest request,
                GenerationListener listener,
                BooleanSupplier cancelled) {
            this.tokens = tokens;
            this.request = request;
            this.listener = listener;
            this.cancelled = cancelled;
        }

        @Override
        public int reused() {
            return tokens.reused();
        }

        @Override
        public Optional<SampledToken> next() {
            Optional<SampledToken> next;
            try {
                next = tokens.next();
            } catch (KeptGoneException e) {
                next = takeOver(e);
            }
            given++;
            return next;
        }

        /** Computes the text again up to the token that is wanted: the same seed chooses the same tokens. */
        private Optional<SampledToken> takeOver(KeptGoneException reason) {
            tokens.close();
            goAlone(reason);
            tokens = ownTokens.begin(request, listener, cancelled);
            Optional<SampledToken> next = tokens.next();
            for (int again = 0; again < given && next.isPresent(); again++) {
                next = tokens.next();
            }
            return next;
        }

        @Override
        public void close() {
            tokens.close();
        }
    }
}
