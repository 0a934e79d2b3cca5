/** Does a device give the reference's bits? Asked of the real device, in a few seconds, before it is trusted. */
package io.tutti.engine.selftest;
