package io.tutti.engine.host;

/** Whether the JVM has the Vector API, in which the quick kernels are written; looked up once. */
public final class VectorApi {

    private static final String MODULE = "jdk.incubator.vector";

    /** The flag that gives it to a JVM. */
    public static final String FLAG = "--add-modules " + MODULE;

    /** Whether it has. Without it the host runs plain kernels: much slower, with the same bits. */
    public static final boolean PRESENT = isPresent();

    /** What an application should show or log once if it is missing. */
    public static final String ADVICE =
            "the host runs plain kernels, many times slower and with the same bits; start the JVM with " + FLAG
                    + " to make it quick";

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
