/** The host backend: a program is a list of ops, split among a fixed team of threads. */
package io.tutti.engine.host;
