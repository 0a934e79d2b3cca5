package io.tutti.tornado.program;

import io.tutti.engine.backend.LoadProgress;

/** Counts the weights of a program that have been loaded. */
final class Loading {

    private final LoadProgress progress;
    private final int total;
    private int loaded;

    Loading(LoadProgress progress, int total) {
        this.progress = progress;
        this.total = total;
    }

    /** Says that one more is there. */
    void loaded() {
        progress.loaded(++loaded, total);
    }
}
