/** What a device has to offer: a backend that compiles graphs to programs, and the verdict on its numbers. */
package io.tutti.engine.backend;
