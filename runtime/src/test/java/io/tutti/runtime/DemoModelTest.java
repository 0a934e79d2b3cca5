package io.tutti.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.golden.Golden;
import io.tutti.engine.golden.Runs;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.modelio.tokenizer.Tokenizers;
import io.tutti.runtime.generate.GenerationListener;
import io.tutti.runtime.generate.GenerationRequest;
import io.tutti.runtime.generate.Generator;
import io.tutti.runtime.generate.Stops;
import io.tutti.sample.ParallelFor;
import io.tutti.sample.SamplingParams;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class DemoModelTest {

    private static final Golden.Model DEMO = new Golden.Model("demo");
    private static final Pattern WORD = Pattern.compile("[a-z]+(?:'[a-z]+)*");

    @Test
    void theDemoModelWritesEnglish() throws IOException {
        Set<String> known = new HashSet<>(Files.readAllLines(DEMO.dir().resolve("words.txt")));
        try (ModelRunner runner = Runs.load(DEMO.dir(), EngineConfig.defaults());
                Tokenizer tokenizer =
                        Tokenizers.open(DEMO.dir(), runner.config().text())) {
            int[] prompt = tokenizer.encode("It is a truth");
            GenerationRequest request = new GenerationRequest(
                    prompt,
                    500,
                    SamplingParams.greedy().withTemperature(0.8),
                    2026,
                    Stops.NONE,
                    false,
                    Integer.MAX_VALUE,
                    false);
            String text = new Generator(runner, Optional.of(tokenizer), ParallelFor.SERIAL)
                    .generate(request, GenerationListener.NONE, () -> false)
                    .text();
            List<String> words = WORD.matcher(text.toLowerCase(Locale.ROOT))
                    .results()
                    .map(MatchResult::group)
                    .toList();
            assertThat(words).hasSizeGreaterThan(200);
            long knownWords = words.stream().filter(known::contains).count();
            assertThat(knownWords).as(text).isGreaterThanOrEqualTo(words.size() * 9L / 10);
        }
    }
}
