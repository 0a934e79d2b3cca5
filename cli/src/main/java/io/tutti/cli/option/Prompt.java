package io.tutti.cli.option;

/** What a run starts from. */
public sealed interface Prompt {

    /** The option that gave it, for messages. */
    String option();

    /** Token ids, as given. */
    record Tokens(String option, int[] ids) implements Prompt {}

    /** Text to encode, with the special tokens that the tokenizer puts around a prompt. */
    record Text(String option, String text) implements Prompt {}

    /**
     * Text that a chat template made, with the special tokens that belong to it.
     *
     * @param option the options that gave what is said
     * @param template where the template is from
     */
    record Chat(String option, String text, String template) implements Prompt {}
}
