package io.tutti.cli;

import java.util.List;
import java.util.Optional;

/**
 * An option as llama.cpp, Ollama or transformers call it.
 *
 * @param names what they call it
 * @param ours our option that does it
 * @param instead what to type instead, where theirs takes other values; empty where the names alone differ
 */
record ForeignOption(List<String> names, String ours, Optional<String> instead) {

    private static final List<ForeignOption> ALL = List.of(
            same("--temperature", "--temp"),
            same("--repetition-penalty", "--repeat-penalty"),
            same("--max-tokens", "--max-new-tokens", "--n-predict", "--predict", "--num-predict"),
            same("--system", "--system-prompt", "-sys"),
            same("--prompt-file", "--file", "-f"),
            same("--threads", "-t", "--num-threads"),
            same("--context", "-c", "--ctx-size", "--num-ctx"),
            same("--device", "-dev"),
            same("--out", "-o", "--output"),
            other("--device", "--device NAME, which runs all layers there", "-ngl", "--n-gpu-layers", "--gpu-layers"),
            other("--stop", "--stop TEXT", "-r", "--reverse-prompt"),
            other("--kv", "--kv f16 or f32", "-ctk", "-ctv", "--cache-type-k", "--cache-type-v"),
            other("--chunk", "--chunk N", "-b", "-ub", "--batch-size", "--ubatch-size"),
            other("--temperature", "--temperature T, above 0", "--do-sample"),
            other("--template-var", "--template-var enable_thinking=true or false", "--think", "--no-think"),
            other("--template-var", "--template-var NAME=VALUE", "--chat-template-kwargs"),
            other("--prompt", "tutti chat MODEL", "-i", "--interactive", "-cnv", "--conversation"),
            other("--prompt", "--prompt-file FILE, which has line breaks as they are", "-e", "--escape"),
            other("--model", "--model owner/name", "-hf", "--hf-repo"));

    private static ForeignOption same(String ours, String... names) {
        return new ForeignOption(List.of(names), ours, Optional.empty());
    }

    private static ForeignOption other(String ours, String instead, String... names) {
        return new ForeignOption(List.of(names), ours, Optional.of(instead));
    }

    /** The option of that name, such as {@code --temp}; empty if none of these programs has it, or ours is the same. */
    static Optional<ForeignOption> called(String name) {
        return ALL.stream().filter(option -> option.names.contains(name)).findFirst();
    }
}
