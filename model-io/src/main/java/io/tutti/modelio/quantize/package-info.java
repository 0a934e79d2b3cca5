/** Writing an int4 model directory from one of floats. */
package io.tutti.modelio.quantize;
