/** What two devices make of the same work: how much of it has the same bits, and where the first differ. */
package io.tutti.engine.compare;
