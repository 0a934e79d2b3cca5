package io.tutti.cli.option;

/** What a run starts from. */
public sealed interface Prompt {

    /** The option that gave it, for messages. */
    String option();

    /** Token ids, as given. */
    record Tokens(String option, int[] ids) implements Prompt {}

    /** Text to encode. */
    record Text(String option, String text) implements Prompt {}
}
