/** The generation loop: from a prompt to a text, token by token. */
package io.tutti.engine.generate;
