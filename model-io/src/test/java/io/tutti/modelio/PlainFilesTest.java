package io.tutti.modelio;

import static io.tutti.modelio.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.modelio.config.TextConfig;
import io.tutti.modelio.quantize.ModelQuantizer;
import io.tutti.modelio.safetensors.Checkpoint;
import io.tutti.modelio.tokenizer.Tokenizers;
import io.tutti.modelio.weights.Weights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pipe in place of a model's file is refused; nothing waits for its other end. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "no pipes in the file system")
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PlainFilesTest {
    @TempDir
    Path dir;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "config.json",
                "generation_config.json",
                "tokenizer.json",
                "model.safetensors.index.json",
                "model-00001-of-00003.safetensors",
                "tokenizer.model"
            })
    void aPipeIsRefused(String name) throws IOException, InterruptedException {
        try (Stream<Path> files = Files.list(Golden.model("sharded-mixed"))) {
            for (Path file : files.toList()) {
                Files.copy(file, dir.resolve(file.getFileName()));
            }
        }
        Path pipe = pipe(name);
        assertRefused(this::readAll, pipe.toString(), "is not a plain file");
    }

    @ParameterizedTest
    @ValueSource(strings = "model.safetensors")
    void aPipeIsNoWeights(String name) throws IOException, InterruptedException {
        Path pipe = pipe(name);
        assertRefused(() -> Checkpoint.open(dir), pipe.toString(), "is not a plain file");
    }

    private void readAll() {
        TextConfig config = TextConfig.load(dir);
        if (Files.exists(dir.resolve("tokenizer.json"))) {
            Tokenizers.open(dir, config).close();
        }
        Weights weights = Weights.open(dir, Models.head(false));
        ModelQuantizer.quantize(dir, weights, Models.projections(dir), dir.resolve("out"), 2, (_, _) -> {});
    }

    private Path pipe(String name) throws IOException, InterruptedException {
        Path pipe = dir.resolve(name);
        Files.deleteIfExists(pipe);
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        return pipe;
    }
}
