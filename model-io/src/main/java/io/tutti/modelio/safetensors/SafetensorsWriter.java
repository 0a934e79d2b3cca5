package io.tutti.modelio.safetensors;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.files.WholeOrNothing;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes a safetensors file, whole or not at all. The same tensors give the same bytes: metadata sorted by key, tensors
 * by size of element (largest first, so that each is aligned) and name, the header filled up with spaces to a multiple
 * of 8. The tensors' values may come in any order and in parts.
 */
public final class SafetensorsWriter {
    private static final JsonFactory JSON = new JsonFactory();
    private static final int ALIGNMENT = 8;
    private static final int PART_BYTES = 1 << 20;

    /**
     * A tensor to write.
     *
     * @param shape row-major
     */
    public record Declaration(String name, Dtype dtype, List<Long> shape) {
        public Declaration {
            shape = List.copyOf(shape);
        }

        long bytes() {
            return SafetensorsHeader.bytes(dtype, shape);
        }
    }

    /** Puts all of the declared tensors' values. */
    @FunctionalInterface
    public interface Body {
        void writeTo(SafetensorsWriter writer) throws IOException;
    }

    private final FileChannel channel;
    private final Map<String, Place> places;

    private SafetensorsWriter(FileChannel channel, Map<String, Place> places) {
        this.channel = channel;
        this.places = places;
    }

    /**
     * Writes the declared tensors to {@code target}, which is replaced if it exists.
     *
     * @param body called once, with the writer to put values to
     * @throws io.tutti.modelio.ModelException if writing fails; the target is then as it was
     * @throws IllegalStateException if {@code body} leaves a part of a tensor out
     */
    public static void write(Path target, Map<String, String> metadata, List<Declaration> tensors, Body body) {
        List<Declaration> ordered = new ArrayList<>(tensors);
        ordered.sort(
                Comparator.comparingInt((Declaration tensor) -> -tensor.dtype().bits())
                        .thenComparing(Declaration::name));
        WholeOrNothing.file(target, temporary -> {
            try (FileChannel channel =
                    FileChannel.open(temporary, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
                ByteBuffer header = header(metadata, ordered);
                SafetensorsWriter writer = new SafetensorsWriter(channel, places(ordered, header.remaining()));
                writer.writeAt(0, header);
                body.writeTo(writer);
                writer.requireComplete();
            }
        });
    }

    /**
     * Writes a part of a tensor.
     *
     * @param at the part's first byte, counted from the tensor's
     * @param part little-endian, in native memory or a byte array
     */
    public void put(String tensor, long at, MemorySegment part) throws IOException {
        Place place = places.get(tensor);
        if (place == null || at < 0 || at > place.bytes - part.byteSize()) {
            throw new IllegalArgumentException(
                    "tensor " + tensor + " has no bytes " + at + " to " + (at + part.byteSize()));
        }
        for (long done = 0; done < part.byteSize(); done += PART_BYTES) {
            long bytes = Math.min(PART_BYTES, part.byteSize() - done);
            writeAt(place.begin + at + done, part.asSlice(done, bytes).asByteBuffer());
        }
        place.written += part.byteSize();
    }

    /**
     * Writes a part of an F32 tensor.
     *
     * @param first the place of {@code values[0]} in the tensor
     */
    public void put(String tensor, long first, float[] values) throws IOException {
        ByteBuffer part = ByteBuffer.allocate(Math.multiplyExact(values.length, Float.BYTES))
                .order(ByteOrder.LITTLE_ENDIAN);
        part.asFloatBuffer().put(values);
        put(tensor, first * Float.BYTES, MemorySegment.ofBuffer(part));
    }

    private void writeAt(long position, ByteBuffer bytes) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            at += channel.write(bytes, at);
        }
    }

    private void requireComplete() {
        places.forEach((name, place) -> {
            if (place.written != place.bytes) {
                throw new IllegalStateException(
                        "tensor " + name + " of " + place.bytes + " bytes was given " + place.written);
            }
        });
    }

    private static Map<String, Place> places(List<Declaration> tensors, long dataStart) {
        Map<String, Place> places = new HashMap<>();
        long begin = dataStart;
        for (Declaration tensor : tensors) {
            Place place = new Place(begin, tensor.bytes());
            if (places.put(tensor.name(), place) != null) {
                throw new IllegalArgumentException("tensor " + tensor.name() + " is declared twice");
            }
            begin += place.bytes;
        }
        return places;
    }

    private static ByteBuffer header(Map<String, String> metadata, List<Declaration> tensors) throws IOException {
        ByteArrayOutputStream json = new ByteArrayOutputStream();
        try (JsonGenerator generator = JSON.createGenerator(json)) {
            generator.writeStartObject();
            if (!metadata.isEmpty()) {
                generator.writeObjectFieldStart(SafetensorsHeader.METADATA);
                for (Map.Entry<String, String> entry : new TreeMap<>(metadata).entrySet()) {
                    generator.writeStringField(entry.getKey(), entry.getValue());
                }
                generator.writeEndObject();
            }
            long begin = 0;
            for (Declaration tensor : tensors) {
                generator.writeObjectFieldStart(tensor.name());
                generator.writeStringField("dtype", tensor.dtype().name());
                writeList(generator, "shape", tensor.shape());
                writeList(generator, "data_offsets", List.of(begin, begin + tensor.bytes()));
                generator.writeEndObject();
                begin += tensor.bytes();
            }
            generator.writeEndObject();
        }
        while (json.size() % ALIGNMENT != 0) {
            json.write(' ');
        }
        return ByteBuffer.allocate(SafetensorsHeader.LENGTH_BYTES + json.size())
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(json.size())
                .put(json.toByteArray())
                .flip();
    }

    private static void writeList(JsonGenerator generator, String key, List<Long> numbers) throws IOException {
        generator.writeArrayFieldStart(key);
        for (long number : numbers) {
            generator.writeNumber(number);
        }
        generator.writeEndArray();
    }

    /** Where a tensor goes in the file, and how much of it is there. */
    private static final class Place {
        private final long begin;
        private final long bytes;
        private long written;

        Place(long begin, long bytes) {
            this.begin = begin;
            this.bytes = bytes;
        }
    }
}
