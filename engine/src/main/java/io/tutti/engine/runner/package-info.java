/** Stepping a model: batches of sequences in, logits out, keys and values in the pool. */
package io.tutti.engine.runner;
