/**
 * The engine: a model is a {@link io.tutti.engine.graph.Graph graph} of ops written once, a {@link
 * io.tutti.engine.backend.Backend backend} compiles it to a program for one device, and the {@link
 * io.tutti.engine.runner.ModelRunner runner} steps it over batches of sequences.
 */
package io.tutti.engine;
