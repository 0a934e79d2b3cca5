/** What a device has to offer: a backend that compiles graphs to programs. */
package io.tutti.engine.backend;
