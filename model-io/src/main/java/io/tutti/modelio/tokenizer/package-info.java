/** Text to token ids and back: tokenizer.json, or plain bytes. */
package io.tutti.modelio.tokenizer;
