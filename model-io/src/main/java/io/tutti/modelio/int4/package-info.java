/** Four-bit weights with an f16 scale for each group of columns: arithmetic and naming. */
package io.tutti.modelio.int4;
