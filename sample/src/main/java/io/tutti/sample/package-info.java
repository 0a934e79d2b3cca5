/** PCG32, streams and the sampler. */
package io.tutti.sample;
