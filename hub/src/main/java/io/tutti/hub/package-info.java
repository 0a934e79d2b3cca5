/**
 * Models by name: finding them in the cache that huggingface_hub keeps, and bringing them there. This is the only part of
 * Tutti that opens a connection, and it does so only when a user asks for a download.
 */
package io.tutti.hub;
