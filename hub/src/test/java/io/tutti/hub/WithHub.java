package io.tutti.hub;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** What tests of downloads begin with: a hub that serves a model, and a cache that is not there yet. */
abstract class WithHub {
    @TempDir
    Path folder;

    LoopbackHub hub;
    Pulls pulls;

    @BeforeEach
    void serveAModel() {
        hub = LoopbackHub.withModel();
        pulls = new Pulls(hub, folder.resolve("the cache"));
    }

    @AfterEach
    void stopServing() {
        hub.close();
    }
}
