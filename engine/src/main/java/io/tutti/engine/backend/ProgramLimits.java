package io.tutti.engine.backend;

/**
 * The largest step that a program has to run.
 *
 * @param maxTokens new tokens in a step
 * @param maxSequences sequences in a step
 */
public record ProgramLimits(int maxTokens, int maxSequences) {}
