package io.tutti.engine.backend;

/** Is told how far loading has come. */
@FunctionalInterface
public interface LoadProgress {

    /** Tells nobody. */
    LoadProgress NONE = (done, total) -> {};

    /**
     * One more weight is there.
     *
     * @param done weights loaded
     * @param total weights to load
     */
    void loaded(int done, int total);
}
