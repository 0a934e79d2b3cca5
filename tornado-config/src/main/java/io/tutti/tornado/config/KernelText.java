package io.tutti.tornado.config;

import java.util.List;

/**
 * Makes the same kernel the same text in every run. TornadoVM declares a kernel's variables in the order of their kinds'
 * identity hashes, and drivers remember what they have compiled by its text: where the order is another, all is compiled again,
 * which takes longer than everything else at the start.
 */
public final class KernelText {

    /** The kinds, by driver; of one that is not there none is. */
    private static final List<String> KINDS = List.of(
            "uk.ac.manchester.tornado.drivers.opencl.graal.lir.OCLKind",
            "uk.ac.manchester.tornado.drivers.ptx.graal.lir.PTXKind",
            "uk.ac.manchester.tornado.drivers.spirv.graal.lir.SPIRVKind");

    private KernelText() {}

    /**
     * Gives the kinds their hashes. To be called first of all on the main thread, for a thread's hashes are a sequence that
     * depends on how many it has given out.
     */
    public static void settle() {
        for (String name : KINDS) {
            try {
                for (Object kind : Class.forName(name).getEnumConstants()) {
                    System.identityHashCode(kind);
                }
            } catch (ClassNotFoundException | LinkageError _) {
                // Another SDK's backend; or one that will say itself what is wrong with it.
            }
        }
    }
}
