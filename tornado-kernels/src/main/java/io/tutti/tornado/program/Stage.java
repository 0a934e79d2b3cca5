package io.tutti.tornado.program;

import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import uk.ac.manchester.tornado.api.TaskGraph;
import uk.ac.manchester.tornado.api.enums.DataTransferMode;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/**
 * A task graph in the making, and where its arrays come from. An array is uploaded by one stage and handed on by each after
 * it, for TornadoVM looks for a buffer in the task graph that ran last and nowhere else.
 *
 * @param name the task graph's, unique in the process
 * @param launches its tasks, in order
 * @param everyTime arrays that go up ahead of each run
 * @param once arrays that go up ahead of the first run
 * @param handedOn arrays whose buffers come from the stage before
 */
record Stage(
        String name,
        List<Launch> launches,
        List<TornadoNativeArray> everyTime,
        List<TornadoNativeArray> once,
        List<TornadoNativeArray> handedOn) {

    /** @param before the stage that runs first before this one; null for the first of all */
    TaskGraph taskGraph(Stage before) {
        TaskGraph graph = new TaskGraph(name);
        if (before != null) {
            graph.consumeFromDevice(before.name(), handedOn.toArray());
        }
        if (!everyTime.isEmpty()) {
            graph.transferToDevice(DataTransferMode.EVERY_EXECUTION, everyTime.toArray());
        }
        if (!once.isEmpty()) {
            graph.transferToDevice(DataTransferMode.FIRST_EXECUTION, once.toArray());
        }
        for (Launch launch : launches) {
            graph = launch.addTo(graph);
        }
        return graph.persistOnDevice(kept().toArray());
    }

    /** What the stage after this one may ask for. */
    Collection<TornadoNativeArray> kept() {
        Set<TornadoNativeArray> kept = identitySet();
        kept.addAll(handedOn);
        kept.addAll(everyTime);
        kept.addAll(once);
        return kept;
    }

    /** A set of arrays as objects, whatever is in them. */
    static Set<TornadoNativeArray> identitySet() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }
}
