/** Strict JSON for files that nobody vouches for: bounded, no duplicate keys, one-line errors. */
package io.tutti.modelio.json;
