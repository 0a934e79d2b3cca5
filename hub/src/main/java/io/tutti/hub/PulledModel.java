package io.tutti.hub;

import java.nio.file.Path;
import java.util.Optional;

/**
 * A model that is in the cache now.
 *
 * @param directory its snapshot
 * @param commit what its revision stands for
 * @param files how many files it has
 * @param bytes of all its files
 * @param receivedBytes that came over the network for it
 * @param unasked why the hub was not asked whether there is a newer one; empty if it was
 */
public record PulledModel(
        Path directory, String commit, int files, long bytes, long receivedBytes, Optional<String> unasked) {}
