/** What this machine's processor can do at most, measured: what an engine's figures are held against. */
package io.tutti.engine.limits;
