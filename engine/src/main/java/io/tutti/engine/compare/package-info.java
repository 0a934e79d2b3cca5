/** A model on two devices, layer by layer: how a difference begins and grows. */
package io.tutti.engine.compare;
