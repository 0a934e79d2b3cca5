package io.tutti.modelio.safetensors;

import static io.tutti.modelio.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.safetensors.SafetensorsWriter.Declaration;
import io.tutti.modelio.weights.Floats;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SafetensorsWriterTest {
    private static final Declaration LOGITS = new Declaration("logits", Dtype.F32, List.of(2L, 2L));

    @TempDir
    Path dir;

    @Test
    void theBytesAreThoseOfTheFormat() throws IOException {
        Path file = dir.resolve("x.safetensors");
        SafetensorsWriter.write(
                file,
                Map.of("z", "1", "a", "2"),
                List.of(
                        new Declaration("b", Dtype.U8, List.of(3L)),
                        LOGITS,
                        new Declaration("a", Dtype.F16, List.of())),
                writer -> {
                    writer.put("b", 0, MemorySegment.ofArray(new byte[] {1, 2, 3}));
                    writer.put("logits", 2, new float[] {3, 4});
                    writer.put("logits", 0, new float[] {1, 2});
                    writer.put("a", 0, MemorySegment.ofArray(new byte[] {5, 6}));
                });
        String header = """
                {"__metadata__":{"a":"2","z":"1"},\
                "logits":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},\
                "a":{"dtype":"F16","shape":[],"data_offsets":[16,18]},\
                "b":{"dtype":"U8","shape":[3],"data_offsets":[18,21]}}""";
        String padded = header + " ".repeat((8 - header.length() % 8) % 8);
        ByteBuffer expected = ByteBuffer.allocate(8 + padded.length() + 21)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(padded.length())
                .put(padded.getBytes(StandardCharsets.UTF_8))
                .putFloat(1)
                .putFloat(2)
                .putFloat(3)
                .putFloat(4)
                .put(new byte[] {5, 6, 1, 2, 3});
        assertThat(Files.readAllBytes(file)).isEqualTo(expected.array());
        assertThat(SafetensorsHeader.read(file).tensors().keySet()).containsExactly("logits", "a", "b");
        assertThat(dir.toFile().list()).containsExactly(file.getFileName().toString());
    }

    @Test
    void tensorsLargerThanAPartAreWrittenWhole() throws IOException {
        int count = 300_000;
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = i;
        }
        Path file = dir.resolve("model.safetensors");
        SafetensorsWriter.write(
                file,
                Map.of(),
                List.of(new Declaration("x", Dtype.F32, List.of((long) count))),
                writer -> writer.put("x", 0, values));
        float[] back = new float[count];
        try (TensorWindow window = Checkpoint.open(dir).map("x")) {
            Floats.widen(window.data(), Dtype.F32, 0, back, 0, count);
        }
        assertThat(back).isEqualTo(values);
    }

    @Test
    void anExistingFileIsReplacedOnlyByAWholeOne() throws IOException {
        Path file = Files.writeString(dir.resolve("x.safetensors"), "old");
        assertRefused(
                () -> SafetensorsWriter.write(file, Map.of(), List.of(LOGITS), writer -> {
                    writer.put("logits", 0, new float[] {1, 2});
                    throw new IOException("the disk is full\nreally");
                }),
                file.toString(),
                "the disk is full");
        assertThat(file).hasContent("old");
        assertThat(dir.toFile().list()).containsExactly(file.getFileName().toString());
        SafetensorsWriter.write(file, Map.of(), List.of(LOGITS), writer -> writer.put("logits", 0, new float[4]));
        assertThat(SafetensorsHeader.read(file).tensors()).containsOnlyKeys("logits");
    }

    @Test
    void aForgottenOrMisplacedPartIsAnErrorOfTheProgram() {
        Path file = dir.resolve("x.safetensors");
        assertThatThrownBy(() -> SafetensorsWriter.write(
                        file, Map.of(), List.of(LOGITS), writer -> writer.put("logits", 0, new float[3])))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("logits");
        for (long first : new long[] {-1, 1}) {
            assertThatThrownBy(() -> SafetensorsWriter.write(
                            file, Map.of(), List.of(LOGITS), writer -> writer.put("logits", first, new float[4])))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> SafetensorsWriter.write(
                        file, Map.of(), List.of(LOGITS), writer -> writer.put("other", 0, new float[1])))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SafetensorsWriter.write(file, Map.of(), List.of(LOGITS, LOGITS), _ -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("twice");
        assertThat(dir).isEmptyDirectory();
    }

    @Test
    void aMissingDirectoryIsNotMadeAndADirectoryIsNoTarget() {
        Path deep = dir.resolve("new").resolve("x");
        assertRefused(
                () -> SafetensorsWriter.write(deep, Map.of(), List.of(), _ -> {}), "no directory " + deep.getParent());
        assertThat(dir).isEmptyDirectory();
        assertRefused(() -> SafetensorsWriter.write(dir, Map.of(), List.of(), _ -> {}), "is a directory");
    }
}
