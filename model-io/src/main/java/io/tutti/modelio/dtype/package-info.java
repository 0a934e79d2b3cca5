/** What a tensor's elements are, and the exact conversions between the float formats. */
package io.tutti.modelio.dtype;
