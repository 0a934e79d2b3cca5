package io.tutti.modelio.int4;

import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How an int4 model is named in a safetensors file: metadata, tensor names, and which tensors are quantized. */
public final class Int4Format {
    /** The metadata key that marks a file as quantized. */
    public static final String METADATA_KEY = "quant";

    /** What the metadata may say. */
    public static final String ACCEPTED = "\"int4-g<group>-sym\", such as \"int4-g32-sym\"";

    private static final String QWEIGHT = ".qweight";
    private static final String SCALES = ".scales";
    private static final Pattern METADATA = Pattern.compile("int4-g([1-9][0-9]{0,8})-sym");

    private Int4Format() {}

    /** The metadata's value for groups of {@code group} columns. */
    public static String metadata(int group) {
        return "int4-g" + group + "-sym";
    }

    /** The group that a metadata value gives, or empty if it is no int4 of ours. */
    public static OptionalInt group(String metadata) {
        Matcher matcher = METADATA.matcher(metadata);
        return matcher.matches() ? OptionalInt.of(Integer.parseInt(matcher.group(1))) : OptionalInt.empty();
    }

    /** The U8 tensor [rows, cols / 2] of the matrix {@code name}. */
    public static String qweight(String name) {
        return name + QWEIGHT;
    }

    /** The F16 tensor [rows, cols / group] of the matrix {@code name}. */
    public static String scales(String name) {
        return name + SCALES;
    }

    /** Whether a tensor's name is that of nibbles. */
    public static boolean isQweight(String tensor) {
        return tensor.endsWith(QWEIGHT);
    }
}
