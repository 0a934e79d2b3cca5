package io.tutti.modelio.safetensors;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.files.GitLfsPointer;
import io.tutti.modelio.files.PlainFile;
import io.tutti.modelio.json.StrictJson;
import io.tutti.modelio.json.StrictJson.Duplicates;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The header of a safetensors file, checked whole: a u64 little-endian length N, N bytes of JSON, then the data buffer,
 * which the tensors' ranges tile without a gap, an overlap or a byte left over. Reading it takes heap in proportion to
 * N and maps nothing.
 *
 * @param tensors by name, in the header's order
 * @param metadata the {@code __metadata__} strings; empty if there are none, or it is null
 */
public record SafetensorsHeader(Map<String, TensorInfo> tensors, Map<String, String> metadata) {
    static final String METADATA = "__metadata__";
    static final int LENGTH_BYTES = Long.BYTES;

    /** The format's own limit. */
    static final long LONGEST_HEADER = 100_000_000;

    public SafetensorsHeader {
        tensors = Collections.unmodifiableMap(new LinkedHashMap<>(tensors));
        metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    }

    /**
     * Reads and checks {@code file}'s header.
     *
     * @throws ModelException if the file is not a whole and well-formed safetensors file
     */
    public static SafetensorsHeader read(Path file) {
        PlainFile.require(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long fileBytes = channel.size();
            byte[] start = readFully(channel, 0, (int) Math.min(GitLfsPointer.BYTES, fileBytes));
            GitLfsPointer.refuse(file, start);
            long headerBytes = checkLength(file, start, fileBytes);
            byte[] json = readFully(channel, LENGTH_BYTES, (int) headerBytes);
            return parse(file, json, fileBytes - LENGTH_BYTES - headerBytes);
        } catch (IOException e) {
            throw ModelException.io(file, e);
        }
    }

    /**
     * Checks a header's JSON against the data buffer that follows it.
     *
     * @param file named in messages, and the tensors' file
     * @param dataBytes the length of the data buffer
     */
    static SafetensorsHeader parse(Path file, byte[] json, long dataBytes) {
        if (json.length == 0 || json[0] != '{') {
            throw ModelException.of(file, "is not a safetensors file: its header does not begin with {");
        }
        Reading reading = new Reading(file, LENGTH_BYTES + (long) json.length);
        StrictJson.read(file, json, Duplicates.REFUSED, parser -> {
            reading.header(parser);
            return reading;
        });
        requireTiling(file, reading.tensors.values(), LENGTH_BYTES + (long) json.length, dataBytes);
        return new SafetensorsHeader(reading.tensors, reading.metadata);
    }

    private static long checkLength(Path file, byte[] start, long fileBytes) {
        if (fileBytes < LENGTH_BYTES) {
            throw ModelException.of(
                    file, "is " + fileBytes + " bytes long, too short for a safetensors file; download it again");
        }
        long length = ByteBuffer.wrap(start).order(ByteOrder.LITTLE_ENDIAN).getLong();
        if (length < 0 || length > LONGEST_HEADER) {
            throw ModelException.of(
                    file,
                    "is not a safetensors file: its first 8 bytes give a header of " + Long.toUnsignedString(length)
                            + " bytes; at most " + LONGEST_HEADER + " are accepted");
        }
        if (length > fileBytes - LENGTH_BYTES) {
            throw ModelException.of(
                    file,
                    "is cut short: its header has " + length + " bytes, the file " + fileBytes + "; download it again");
        }
        return length;
    }

    private static void requireTiling(Path file, Iterable<TensorInfo> tensors, long dataStart, long dataBytes) {
        List<TensorInfo> inOrder = new ArrayList<>();
        tensors.forEach(inOrder::add);
        inOrder.sort(Comparator.comparingLong(TensorInfo::offset).thenComparingLong(TensorInfo::bytes));
        long end = dataStart;
        for (TensorInfo tensor : inOrder) {
            if (tensor.offset() != end) {
                String what = tensor.offset() < end ? "overlaps the one before it" : "leaves a gap before it";
                throw ModelException.of(
                        file,
                        "tensor " + ModelException.quote(tensor.name()) + " " + what + ": it begins at byte "
                                + (tensor.offset() - dataStart) + " of the data, expected is " + (end - dataStart));
            }
            end += tensor.bytes();
        }
        long needed = end - dataStart;
        if (needed > dataBytes) {
            throw ModelException.of(
                    file,
                    "is cut short: its tensors take " + needed + " bytes, the file has " + dataBytes
                            + " of them; download it again");
        }
        if (needed < dataBytes) {
            throw ModelException.of(
                    file, "has " + (dataBytes - needed) + " bytes after its last tensor; none are accepted");
        }
    }

    private static byte[] readFully(FileChannel channel, long position, int count) throws IOException {
        byte[] bytes = new byte[count];
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, position + buffer.position()) < 0) {
                throw new IOException("the file became shorter while it was read");
            }
        }
        return bytes;
    }

    /** One pass over the header's JSON: no tree, so that heap stays in proportion. */
    private static final class Reading {
        private final Path file;
        private final long dataStart;
        private final Map<String, TensorInfo> tensors = new LinkedHashMap<>();
        private final Map<String, String> metadata = new LinkedHashMap<>();

        Reading(Path file, long dataStart) {
            this.file = file;
            this.dataStart = dataStart;
        }

        void header(JsonParser parser) throws IOException {
            require(parser, JsonToken.START_OBJECT, "the header");
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                parser.nextToken();
                if (name.equals(METADATA)) {
                    readMetadata(parser);
                } else {
                    tensors.put(name, readTensor(parser, name));
                }
            }
        }

        private void readMetadata(JsonParser parser) throws IOException {
            if (parser.currentToken() == JsonToken.VALUE_NULL) {
                return;
            }
            require(parser, JsonToken.START_OBJECT, METADATA);
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String key = parser.currentName();
                parser.nextToken();
                require(parser, JsonToken.VALUE_STRING, METADATA + "." + key);
                metadata.put(key, parser.getText());
            }
        }

        private TensorInfo readTensor(JsonParser parser, String name) throws IOException {
            String what = "tensor " + ModelException.quote(name);
            require(parser, JsonToken.START_OBJECT, what);
            String dtypeName = null;
            List<Long> shape = null;
            List<Long> offsets = null;
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String key = parser.currentName();
                parser.nextToken();
                switch (key) {
                    case "dtype" -> {
                        require(parser, JsonToken.VALUE_STRING, what + ": dtype");
                        dtypeName = parser.getText();
                    }
                    case "shape" -> shape = readSizes(parser, what + ": shape");
                    case "data_offsets" -> offsets = readSizes(parser, what + ": data_offsets");
                    default ->
                        throw ModelException.of(
                                file,
                                what + " has the unknown key " + ModelException.quote(key)
                                        + "; accepted: dtype, shape, data_offsets");
                }
            }
            if (dtypeName == null || shape == null || offsets == null) {
                throw ModelException.of(file, what + " lacks one of dtype, shape and data_offsets");
            }
            return describe(name, what, dtypeName, shape, offsets);
        }

        private TensorInfo describe(String name, String what, String dtypeName, List<Long> shape, List<Long> offsets) {
            Dtype dtype = Dtype.named(dtypeName)
                    .orElseThrow(() -> ModelException.of(
                            file,
                            what + " has the unknown dtype " + ModelException.quote(dtypeName)
                                    + "; accepted for weights: F32, F16, BF16"));
            if (offsets.size() != 2 || offsets.get(0) > offsets.get(1)) {
                throw ModelException.of(
                        file,
                        what + " has data_offsets " + TensorInfo.shapeText(offsets)
                                + "; accepted: [begin, end] with begin <= end");
            }
            long begin = offsets.get(0);
            long bytes = offsets.get(1) - begin;
            if (begin > Long.MAX_VALUE - dataStart - bytes || bytes != sizeOf(what, dtype, shape)) {
                throw ModelException.of(
                        file,
                        what + " of " + dtype + " " + TensorInfo.shapeText(shape) + " has data_offsets " + offsets
                                + ", which is not its size");
            }
            return new TensorInfo(name, dtype, shape, file, dataStart + begin, bytes);
        }

        private long sizeOf(String what, Dtype dtype, List<Long> shape) {
            try {
                return bytes(dtype, shape);
            } catch (ArithmeticException e) {
                throw new ModelException(
                        file + ": " + what + " has the shape " + TensorInfo.shapeText(shape) + ", whose bytes overflow",
                        e);
            }
        }

        private List<Long> readSizes(JsonParser parser, String what) throws IOException {
            require(parser, JsonToken.START_ARRAY, what);
            List<Long> sizes = new ArrayList<>(4);
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                boolean fraction = parser.currentToken() == JsonToken.VALUE_NUMBER_FLOAT;
                if (!fraction) {
                    require(parser, JsonToken.VALUE_NUMBER_INT, what);
                }
                if (fraction
                        || parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                        || parser.getLongValue() < 0) {
                    throw ModelException.of(
                            file,
                            what + " holds " + ModelException.excerpt(parser.getText())
                                    + "; accepted: whole numbers from 0 to 2^63 - 1");
                }
                sizes.add(parser.getLongValue());
            }
            return sizes;
        }

        private void require(JsonParser parser, JsonToken wanted, String what) {
            if (parser.currentToken() != wanted) {
                throw ModelException.of(
                        file,
                        what + " is a JSON " + StrictJson.name(parser.currentToken()) + "; accepted: "
                                + StrictJson.name(wanted));
            }
        }
    }

    /**
     * The bytes of a tensor.
     *
     * @throws ArithmeticException if its bits are 2^63 or more
     */
    static long bytes(Dtype dtype, List<Long> shape) {
        long bits = dtype.bits();
        for (long size : shape) {
            bits = Math.multiplyExact(bits, size);
        }
        return Math.ceilDiv(bits, 8);
    }
}
