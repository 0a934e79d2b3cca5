package io.tutti.engine.graph;

/** What a row of activations becomes where it meets int4 weights; all other weights meet it in f32. */
public enum Activations {
    /** It stays as it is; the weights become f32. */
    F32,
    /** Blocks of 32 columns become integers with a common scale, and meet the weights' in integer arithmetic. */
    INT8
}
