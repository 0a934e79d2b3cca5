/** Texts: what to generate, how its tokens are chosen, where it ends. */
package io.tutti.runtime.generate;
