/**
 * The host's inner loops, with the Vector API. Each method is one loop nest without helpers: past C2's inlining limit
 * vectors would be boxed, and a kernel falls ten to forty times. Coverage and mutation tools leave this package alone,
 * since their probes change the code that is compiled; every method is compared with {@link
 * io.tutti.engine.numerics.Numerics} bit for bit, at every vector width.
 *
 * <p>Weights lie in tiles of {@link io.tutti.engine.layout.Tile#ROWS} rows, columns ascending inside a tile, so that
 * rows are the lanes and each lane sums its own row in the normative order.
 */
package io.tutti.engine.host.kernel;
