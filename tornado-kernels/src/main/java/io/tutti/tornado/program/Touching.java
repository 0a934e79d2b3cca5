package io.tutti.tornado.program;

import io.tutti.tornado.kernel.Touch;
import java.util.List;
import java.util.stream.IntStream;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.ShortArray;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/** Makes the launches that have TornadoVM upload arrays. */
final class Touching {

    private final Workspace workspace;
    private final CacheArrays cache;

    Touching(Workspace workspace) {
        this.workspace = workspace;
        cache = workspace.cache();
    }

    /**
     * Launches whose kernels read and rewrite a number of an array, nothing else: TornadoVM uploads what the first kernel to
     * use an array reads, and no more than that.
     */
    List<Launch> each(List<FloatArray> arrays) {
        return arrays.stream().map(this::touch).toList();
    }

    private Launch touch(FloatArray array) {
        int task = workspace.nextTask();
        String name = Launch.name("Touch", task);
        return new Launch(
                name,
                task,
                graph -> graph.task(name, Touch::floats, workspace.context(), workspace.launches(), array, task),
                shape -> Touch.grid(),
                List.of(array));
    }

    /** The same for all values and the whole cache. */
    List<Launch> valuesAndCache() {
        return cache.isEmpty()
                ? List.of(touch(workspace.values()))
                : IntStream.range(0, cache.regions())
                        .mapToObj(this::touchRegion)
                        .toList();
    }

    private Launch touchRegion(int region) {
        int task = workspace.nextTask();
        String name = Launch.name("TouchCache", task);
        TornadoNativeArray keys = cache.keys(region);
        TornadoNativeArray slabValues = cache.values(region);
        return new Launch(
                name,
                task,
                graph -> switch (cache.config().dtype()) {
                    case F16 ->
                        graph.task(
                                name,
                                Touch::f16,
                                workspace.context(),
                                workspace.launches(),
                                workspace.values(),
                                (ShortArray) keys,
                                (ShortArray) slabValues,
                                task);
                    case F32 ->
                        graph.task(
                                name,
                                Touch::f32,
                                workspace.context(),
                                workspace.launches(),
                                workspace.values(),
                                (FloatArray) keys,
                                (FloatArray) slabValues,
                                task);
                },
                shape -> Touch.grid(),
                List.of(workspace.values(), keys, slabValues));
    }
}
