package io.tutti.engine.host;

/** Whether the JVM has the Vector API, which the kernels are written in; decided once. */
public final class VectorApi {

    private static final String MODULE = "jdk.incubator.vector";

    /** What makes a JVM have it. */
    public static final String FLAG = "--add-modules " + MODULE;

    /** Whether it has. Without it the host computes with plain loops: much slower, the same bits. */
    public static final boolean PRESENT = isPresent();

    /** What an application should show or log once where it is missing. */
    public static final String ADVICE =
            "the host computes without vectors, many times slower, to the same bits; start the JVM with " + FLAG
                    + " to make it fast";

    private VectorApi() {}

    private static boolean isPresent() {
        try {
            Class.forName(MODULE + ".FloatVector", false, VectorApi.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError _) {
            return false;
        }
    }
}
