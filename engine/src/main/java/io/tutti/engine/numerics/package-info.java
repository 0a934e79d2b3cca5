/** The normative arithmetic, as plain Java: exp, sums, RoPE's tables, int8 activations. Host, devices and reference share it. */
package io.tutti.engine.numerics;
