/** A fixed team of threads. */
package io.tutti.engine.parallel;
