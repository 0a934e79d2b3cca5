package io.tutti.kv;

/**
 * A handle on one block of a {@link KvPool}. A block that was given back and handed out again has a new generation,
 * so the pool refuses a handle kept from before.
 *
 * @param index the block's place in every slab, as kernels' block tables name it
 * @param generation how often the block had been handed out when this handle was made
 */
public record KvBlock(int index, int generation) {}
