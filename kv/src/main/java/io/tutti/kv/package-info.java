/** The paged KV cache: blocks, references, prefix hashes, export and import. */
package io.tutti.kv;
