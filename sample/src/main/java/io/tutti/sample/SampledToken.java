package io.tutti.sample;

/**
 * A chosen token.
 *
 * @param id its id in the vocabulary
 * @param logprob the natural logarithm of its probability after the penalties, before temperature and filters
 */
public record SampledToken(int id, double logprob) {}
