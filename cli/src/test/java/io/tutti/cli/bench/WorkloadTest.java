package io.tutti.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.model.ModelConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkloadTest {

    private static final Path MODELS =
            Path.of(System.getProperty("tutti.golden")).resolve("models");

    @TempDir
    private Path folder;

    private Workload workload(int positions, int batch, Integer... contexts) throws IOException {
        String config = Files.readString(MODELS.resolve("tiny-llama/config.json"));
        Files.writeString(
                folder.resolve("config.json"),
                config.replace("\"max_position_embeddings\": 512", "\"max_position_embeddings\": " + positions));
        Files.write(folder.resolve("model.safetensors"), new byte[0]);
        return Workload.of(ModelConfig.load(folder), List.of(contexts), batch);
    }

    @Test
    void aLongContextHasRoomForAllOfIt() throws IOException {
        Workload work = workload(4096, 1, 0, 2000);
        assertThat(work).isEqualTo(new Workload(512, 128, List.of(0, 2000), 1, List.of()));
        assertThat(work.positions()).isEqualTo(2128);
    }

    @Test
    void aShortContextGetsLessAndThatIsSaid() throws IOException {
        Workload work = workload(300, 1, 0, 100, 2000);
        assertThat(work.prefill()).isEqualTo(300);
        assertThat(work.decode()).isEqualTo(128);
        assertThat(work.contexts()).containsExactly(0, 100, 172);
        assertThat(work.notes()).hasSize(2).allSatisfy(note -> assertThat(note).contains("300 tokens"));
        assertThat(work.positions()).isEqualTo(300);
    }

    @Test
    void theShortestContextIsStillMeasured() throws IOException {
        Workload work = workload(1, 1, 0, 2000);
        assertThat(List.of(work.prefill(), work.decode(), work.positions())).containsExactly(1, 1, 1);
        assertThat(work.contexts()).containsExactly(0);
        assertThat(work.notes()).hasSize(3);
    }

    @Test
    void whereThereIsNoAttentionOneContextIsEnough() {
        Workload work = Workload.of(ModelConfig.load(MODELS.resolve("bigram")), List.of(0, 500), 1);
        assertThat(work.contexts()).containsExactly(0);
        assertThat(work.notes()).singleElement().asString().contains("without attention");
    }

    @Test
    void theCacheHasRoomForFilledContextsAndForOneMoreRun() throws IOException {
        // 32 blocks of 16 for a prompt of 512; 8 for 128 new tokens; 133 for 2,000 and 128.
        assertThat(workload(4096, 1, 0).blocks(16)).isEqualTo(32);
        assertThat(workload(4096, 8, 0).blocks(16)).isEqualTo(64);
        assertThat(workload(4096, 4, 0, 2000).blocks(16)).isEqualTo(4 * 133 + 32);
    }
}
