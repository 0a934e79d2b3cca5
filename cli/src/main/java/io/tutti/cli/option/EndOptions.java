package io.tutti.cli.option;

import io.tutti.cli.console.UsageException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** What ends a text besides its length. */
public class EndOptions {

    @Option(
            names = "--stop",
            paramLabel = "TEXT",
            description = "End before this text, which may hold special tokens; may be given several times.")
    private List<String> stopTexts = new ArrayList<>();

    @Option(
            names = "--ignore-eos",
            description = "Go on after the end tokens of the model, its tokenizer and its chat template.")
    private boolean ignoreEos;

    public boolean ignoreEos() {
        return ignoreEos;
    }

    /**
     * The stop texts, in no particular order.
     *
     * @throws UsageException if one is empty, which would end every text, or not UTF-8
     */
    public List<String> stopTexts() {
        if (stopTexts.contains("")) {
            throw UsageException.of("--stop", "\"\"", "a text of at least one character");
        }
        if (!stopTexts.stream().allMatch(CommandLineText::isWhole)) {
            throw new UsageException("--stop has bytes that are not UTF-8; accepted: UTF-8 text without U+FFFD");
        }
        return stopTexts;
    }
}
