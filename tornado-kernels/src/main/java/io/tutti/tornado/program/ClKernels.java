package io.tutti.tornado.program;

import io.tutti.engine.graph.Graph;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/**
 * Kernels in OpenCL C: a task graph holds as many launches of a step as TornadoVM allows, layer after layer, since all of them
 * are one compiled kernel. Each {@link StepKind} has graphs of its own.
 *
 * <p>One kernel has to do for all, because TornadoVM runs the code of a graph's first task for each of its prebuilt ones: it
 * looks for a task's code at the place of an equal task in the graph, and to a prebuilt task none is equal, not even itself.
 */
final class ClKernels implements Kernels {

    /** Tasks of a task graph; TornadoVM describes them in 8,192 bytes, of which one of ours takes 65. */
    private static final int MOST_TASKS = 120;

    private final List<Stage> stages = new ArrayList<>();
    /** The places of a kind's stages. */
    private final Map<StepKind, List<Integer>> places = new EnumMap<>(StepKind.class);

    ClKernels(String program, Graph graph, List<Section> sections, Workspace workspace, ClLowering lowering) {
        Map<StepKind, List<Launch>> launches = new EnumMap<>(StepKind.class);
        for (StepKind kind : StepKind.values()) {
            launches.put(kind, launches(sections, new ClFusion(graph, kind), kind, lowering));
        }
        stages.add(upload(program, workspace, lowering.uploads()));
        launches.forEach((kind, all) -> {
            List<List<Launch>> parts = cut(all);
            int first = stages.size();
            places.put(
                    kind, IntStream.range(first, first + parts.size()).boxed().toList());
            Stage before = stages.get(UPLOAD);
            List<TornadoNativeArray> everyTime = new ArrayList<>(List.of(workspace.step()));
            everyTime.addAll(workspace.stepTables());
            for (List<Launch> part : parts) {
                String name = program + kind.name().toLowerCase(Locale.ROOT) + stages.size();
                before = new Stage(name, part, everyTime, List.of(), List.copyOf(before.kept()));
                stages.add(before);
                // The first uploads them; the others are handed them on.
                everyTime = List.of();
            }
        });
    }

    private static List<Launch> launches(List<Section> sections, ClFusion fusion, StepKind kind, ClLowering lowering) {
        List<Launch> launches = new ArrayList<>();
        for (Section section : sections) {
            List<ClOp> ops = fusion.fuse(section);
            for (int l = 0; l < section.layers(); l++) {
                for (ClOp op : ops) {
                    launches.addAll(lowering.launches(section, l, op, kind));
                }
            }
        }
        return launches;
    }

    private static Stage upload(String program, Workspace workspace, List<Launch> uploads) {
        Set<TornadoNativeArray> once = Stage.identitySet();
        uploads.forEach(launch -> once.addAll(launch.inputs()));
        once.add(workspace.values());
        once.add(workspace.launches());
        workspace.cache().all().forEach(once::remove);
        return new Stage(program + "upload", uploads, workspace.cache().all(), List.copyOf(once), List.of());
    }

    /** As few parts of about the same length as can be. */
    private static List<List<Launch>> cut(List<Launch> launches) {
        int parts = Math.ceilDiv(launches.size(), MOST_TASKS);
        List<List<Launch>> cut = new ArrayList<>();
        for (int i = 0; i < parts; i++) {
            cut.add(launches.subList(launches.size() * i / parts, launches.size() * (i + 1) / parts));
        }
        return cut;
    }

    @Override
    public List<Stage> stages() {
        return stages;
    }

    @Override
    public void run(StepShape shape, IntConsumer execute) {
        places.get(StepKind.of(shape)).forEach(execute::accept);
    }
}
