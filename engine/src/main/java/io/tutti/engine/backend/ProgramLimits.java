package io.tutti.engine.backend;

/**
 * The largest step that a program has to run.
 *
 * @param maxTokens new tokens in a step
 * @param maxSequences sequences in a step
 * @param maxPositions positions of a sequence, those in the cache and the new ones
 */
public record ProgramLimits(int maxTokens, int maxSequences, int maxPositions) {}
