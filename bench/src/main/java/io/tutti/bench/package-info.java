/** JMH benchmarks and comparisons. */
package io.tutti.bench;
