/** Shows the JVM the host's kernels before a model needs them. */
package io.tutti.engine.host.warmup;
