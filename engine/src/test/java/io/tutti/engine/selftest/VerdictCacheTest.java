package io.tutti.engine.selftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.backend.Verdict;
import io.tutti.engine.backend.Verdict.Approximate;
import io.tutti.engine.backend.Verdict.Broken;
import io.tutti.engine.backend.Verdict.Exact;
import io.tutti.engine.graph.Graph;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.WeightSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

class VerdictCacheTest {
    private static final Card CARD = new Card("opencl:0", DeviceKind.GPU, "a card", "driver 1", "64 lanes");

    static final List<Verdict> KEPT =
            List.of(new Exact(), new Approximate("MatMul of f16 weights, é = # \\ \n", 0x1.3p-30, 3, 1L << 40));

    @TempDir
    private Path folder;

    private int tests;

    private VerdictCache cache(Verdict verdict) {
        return cache(Optional.of(folder), verdict);
    }

    private VerdictCache cache(Optional<Path> at, Verdict verdict) {
        return new VerdictCache(at, device -> {
            tests++;
            return verdict;
        });
    }

    @ParameterizedTest
    @FieldSource("KEPT")
    void aVerdictIsRememberedFromProcessToProcess(Verdict verdict) {
        assertThat(cache(verdict).verdict(CARD)).isEqualTo(verdict);
        assertThat(cache(new Broken("not asked")).verdict(CARD)).isEqualTo(verdict);
        assertThat(tests).isEqualTo(1);
    }

    static final List<Card> OTHERS = List.of(
            new Card("opencl:1", DeviceKind.GPU, "a card", "driver 1", "64 lanes"),
            new Card("opencl:0", DeviceKind.CPU, "a card", "driver 1", "64 lanes"),
            new Card("opencl:0", DeviceKind.GPU, "another card", "driver 1", "64 lanes"),
            new Card("opencl:0", DeviceKind.GPU, "a card", "driver 2", "64 lanes"));

    @ParameterizedTest
    @FieldSource("OTHERS")
    void whateverChangesOfADeviceIsTestedAnew(Card other) {
        cache(new Exact()).verdict(CARD);
        Verdict found = new Approximate("Rope", 1e-7, 1, 2);
        assertThat(cache(found).verdict(other)).isEqualTo(found);
        assertThat(tests).isEqualTo(2);
    }

    @Test
    void otherLimitsAreNoReasonToTestAnew() {
        cache(new Exact()).verdict(CARD);
        Card smaller = new Card("opencl:0", DeviceKind.GPU, "a card", "driver 1", "buffers to 1 MiB");
        assertThat(cache(new Broken("not asked")).verdict(smaller)).isEqualTo(new Exact());
    }

    @Test
    void aDeviceIsTestedAfreshOnDemandAndThatIsRemembered() {
        Verdict found = new Approximate("Rope", 1e-7, 1, 2);
        cache(new Exact()).verdict(CARD);
        assertThat(cache(found).test(CARD)).isEqualTo(found);
        assertThat(cache(new Exact()).verdict(CARD)).isEqualTo(found);
    }

    @Test
    void aBrokenDeviceIsTestedEveryTimeAndForgotten() throws IOException {
        cache(new Exact()).verdict(CARD);
        cache(new Broken("lost")).test(CARD);
        assertThat(files()).isEmpty();
        assertThat(cache(new Broken("lost")).verdict(CARD)).isEqualTo(new Broken("lost"));
        assertThat(cache(new Exact()).verdict(CARD)).isEqualTo(new Exact());
        assertThat(tests).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "verdict=exact\n", "\\u12", "verdict=approximate\n", "\0\u00ff"})
    void aFileThatSaysNothingIsPassedOverAndReplaced(String damaged) throws IOException {
        cache(new Exact()).verdict(CARD);
        Files.writeString(files().getFirst(), damaged);
        assertThat(cache(new Exact()).verdict(CARD)).isEqualTo(new Exact());
        assertThat(cache(new Exact()).verdict(CARD)).isEqualTo(new Exact());
        assertThat(tests).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"differing", "where"})
    void aVerdictThatLacksItsNumbersIsPassedOver(String lacking) throws IOException {
        cache(KEPT.getLast()).verdict(CARD);
        Path file = files().getFirst();
        List<String> lines = Files.readAllLines(file);
        Files.write(
                file, lines.stream().filter(line -> !line.startsWith(lacking)).toList());
        assertThat(cache(new Exact()).verdict(CARD)).isEqualTo(new Exact());
    }

    @Test
    void withoutAFolderItTestsEveryTime() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        for (Optional<Path> none : List.of(Optional.<Path>empty(), Optional.of(file))) {
            VerdictCache cache = cache(none, new Exact());
            tests = 0;
            assertThat(cache.verdict(CARD)).isEqualTo(new Exact());
            assertThat(cache.verdict(CARD)).isEqualTo(new Exact());
            assertThat(tests).isEqualTo(2);
        }
    }

    @Test
    void devicesAndDriversThatTakeTurnsKeepTheirVerdicts() throws IOException {
        for (int turn = 0; turn < 2; turn++) {
            cache(new Exact()).verdict(CARD);
            OTHERS.forEach(cache(new Exact())::verdict);
        }
        assertThat(tests).isEqualTo(1 + OTHERS.size());
        assertThat(files())
                .hasSize(1 + OTHERS.size())
                .allSatisfy(file ->
                        assertThat(file.getFileName().toString()).matches("opencl-[01]-[0-9a-f]{8}\\.properties"));
    }

    @Test
    void oldFilesAreDeletedWhenThereAreMany() throws IOException {
        cache(new Exact()).verdict(CARD);
        Path first = files().getFirst();
        Files.setLastModifiedTime(first, FileTime.fromMillis(0));
        for (int driver = 0; driver < 70; driver++) {
            cache(new Exact()).verdict(new Card("opencl:0", DeviceKind.GPU, "a card", "version " + driver, ""));
        }
        assertThat(files()).hasSize(64).doesNotContain(first);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> tree = Files.walk(folder)) {
            return tree.filter(Files::isRegularFile).toList();
        }
    }

    record Card(String name, DeviceKind kind, String description, String driver, String property) implements Device {
        @Override
        public long memoryBytes() {
            return 1;
        }

        @Override
        public List<String> properties() {
            return List.of(property);
        }

        @Override
        public Program compile(
                Graph graph, WeightSource weights, KvPool pool, ProgramLimits limits, LoadProgress progress) {
            throw new UnsupportedOperationException();
        }
    }
}
