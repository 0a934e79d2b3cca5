/** A forward pass as data: ops over named buffers and weights, which every backend compiles. */
package io.tutti.engine.graph;
