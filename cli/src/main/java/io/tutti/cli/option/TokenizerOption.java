package io.tutti.cli.option;

import io.tutti.cli.console.UsageException;
import io.tutti.engine.model.ModelConfig;
import io.tutti.modelio.tokenizer.LlamaPipeline;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** What the text of a LlamaTokenizer goes through, where transformers 4 and 5 differ. */
public final class TokenizerOption {
    private static final String LEGACY = "--legacy";
    private static final String NO_LEGACY = "--no-legacy";

    @Option(
            names = LEGACY,
            description = "Encode text for a LlamaTokenizer (Llama 2, TinyLlama) as its tokenizer.json says, like"
                    + " transformers 4, with which such models were trained (default).")
    private boolean legacy;

    @Option(
            names = NO_LEGACY,
            description = "Encode it as transformers 5 does: without an extra space before leading spaces, and after"
                    + " special tokens.")
    private boolean notLegacy;

    /**
     * The choice for the model in {@code directory}.
     *
     * @throws UsageException if one is made where there is none, or two are
     */
    public LlamaPipeline of(Path directory, ModelConfig config) {
        if (legacy && notLegacy) {
            throw new UsageException("--legacy and --no-legacy are both given; accepted: one of the two");
        }
        if (isGiven() && !LlamaPipeline.isChoice(directory, config.text())) {
            throw new UsageException(name() + " means nothing for " + directory
                    + ", whose text has one encoding only; accepted: a llama or qwen3 whose tokenizer_config.json says"
                    + " LlamaTokenizer and whose tokenizer.json is not byte-level");
        }
        return notLegacy ? LlamaPipeline.REBUILT : LlamaPipeline.LEGACY;
    }

    /** Refuses a choice for a prompt of token ids that stays one. */
    public void refuseWithTokens() {
        refuse("with --tokens, which need no tokenizer; accepted: --prompt TEXT or --prompt-file FILE");
    }

    /** Refuses a choice where there is no prompt. */
    public void refuseWithoutPrompt() {
        refuse("without a prompt; accepted: --prompt TEXT or --prompt-file FILE");
    }

    private void refuse(String circumstances) {
        if (isGiven()) {
            throw new UsageException(name() + " is given " + circumstances);
        }
    }

    private boolean isGiven() {
        return legacy || notLegacy;
    }

    private String name() {
        return notLegacy ? NO_LEGACY : LEGACY;
    }
}
