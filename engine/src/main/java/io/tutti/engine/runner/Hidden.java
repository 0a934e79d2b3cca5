package io.tutti.engine.runner;

/**
 * What {@link ModelRunner#runOnce} returns.
 *
 * @param states hidden states after the final norm, {@code [tokens, hidden]}: Hugging Face's last_hidden_state
 * @param logits the last token's logits, {@code [vocab]}
 */
public record Hidden(float[] states, float[] logits) {}
