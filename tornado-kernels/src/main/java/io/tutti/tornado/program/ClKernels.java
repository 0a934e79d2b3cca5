package io.tutti.tornado.program;

import io.tutti.engine.graph.Buffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/**
 * Kernels in OpenCL C: a task graph holds as many launches of a step as TornadoVM allows, layer after layer, since all of them
 * are one compiled kernel. Each {@link StepKind} has graphs of its own.
 */
final class ClKernels implements Kernels {

    /** Tasks of a task graph; TornadoVM describes them in 8,192 bytes, of which one of ours takes 65. */
    private static final int MOST_TASKS = 120;

    private final List<Stage> stages;
    private final Map<StepKind, Range> ranges = new EnumMap<>(StepKind.class);

    /** The stages of a kind of step: from {@code begin} to before {@code end}. */
    private record Range(int begin, int end) {}

    /** @param results buffers that are read when a step is done */
    ClKernels(String program, List<Section> sections, Set<Buffer> results, Workspace workspace, ClLowering lowering) {
        Map<StepKind, List<Launch>> steps = new EnumMap<>(StepKind.class);
        for (StepKind kind : StepKind.values()) {
            ClFusion fusion = new ClFusion(sections, kind, results);
            List<Launch> launches = new ArrayList<>();
            for (Section section : sections) {
                List<ClOp> ops = fusion.fuse(section);
                for (int l = 0; l < section.layers(); l++) {
                    for (ClOp op : ops) {
                        launches.add(lowering.launch(section, l, op));
                    }
                }
            }
            steps.put(kind, launches);
        }

        List<Launch> uploads = lowering.uploads();
        List<TornadoNativeArray> everyTime = new ArrayList<>(List.of(workspace.step()));
        everyTime.addAll(workspace.stepTables());
        Stage upload = upload(program, workspace, uploads);
        List<Stage> made = new ArrayList<>(List.of(upload));
        steps.forEach((kind, launches) -> {
            int begin = made.size();
            Stage before = upload;
            for (List<Launch> part : cut(launches)) {
                String name = program + kind.name().toLowerCase(Locale.ROOT) + made.size();
                List<TornadoNativeArray> uploaded = made.size() == begin ? everyTime : List.of();
                before = new Stage(name, part, uploaded, List.of(), List.copyOf(before.kept()));
                made.add(before);
            }
            ranges.put(kind, new Range(begin, made.size()));
        });
        stages = List.copyOf(made);
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
        Range range = ranges.get(StepKind.of(shape));
        for (int i = range.begin(); i < range.end(); i++) {
            execute.accept(i);
        }
    }
}
