package io.tutti.kv;

/** The two halves of the cache. */
public enum KvPart {
    K,
    V
}
