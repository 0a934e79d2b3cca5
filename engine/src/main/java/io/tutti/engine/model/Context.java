package io.tutti.engine.model;

/**
 * How many positions a text may have.
 *
 * @param given config.json's max_position_embeddings
 * @param positions that a text may have: those given, more where the rotary positions are stretched beyond them, or fewer if
 *     the user says so
 * @param longest positions that the model's are made for. More than {@code positions} only with llama3 scaling: there
 *     max_position_embeddings is what the model was trained with, and the factor may reach further
 */
public record Context(int given, int positions, int longest) {

    /** As given. */
    public Context(int given) {
        this(given, given, given);
    }

    Context with(int other) {
        return new Context(given, other, longest);
    }

    /** Where the positions come from, for messages. */
    String source() {
        String key = "max_position_embeddings";
        if (positions == given) {
            return key;
        }
        return key + " = " + given + (positions > given ? ", stretched by rope_scaling" : ", cut by the user");
    }
}
