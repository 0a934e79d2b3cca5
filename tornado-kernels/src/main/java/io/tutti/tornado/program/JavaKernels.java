package io.tutti.tornado.program;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/**
 * Kernels in Java, which TornadoVM compiles: a task graph for each {@link Section}; the layers' runs once a layer, with the
 * layer's number in a small array, since each task costs a compilation.
 */
final class JavaKernels implements Kernels {

    private final List<Section> sections;
    private final Workspace workspace;
    private final List<Stage> stages;

    JavaKernels(String program, List<Section> sections, Workspace workspace, Lowering lowering) {
        this.sections = sections;
        this.workspace = workspace;
        stages = stages(program, lowering);
    }

    private List<Stage> stages(String program, Lowering lowering) {
        Touching touching = new Touching(workspace);
        List<List<Launch>> launches = new ArrayList<>();
        sections.forEach(section -> launches.add(lowering.launches(section)));
        // An op of a later section reads them, and TornadoVM uploads what its own section's ops read.
        launches.getFirst().addAll(0, touching.each(workspace.stepTables()));

        List<Stage> made = new ArrayList<>();
        made.add(new Stage(
                program + "upload",
                touching.valuesAndCache(),
                workspace.cache().all(),
                List.of(workspace.values(), workspace.launches()),
                List.of()));

        Set<TornadoNativeArray> known = Stage.identitySet();
        known.addAll(made.getFirst().kept());
        for (int i = 0; i < sections.size(); i++) {
            List<TornadoNativeArray> handedOn = List.copyOf(known);
            List<TornadoNativeArray> everyTime = new ArrayList<>();
            if (i == 0) {
                everyTime.add(workspace.step());
                everyTime.addAll(workspace.stepTables());
            }
            Set<TornadoNativeArray> once = Stage.identitySet();
            launches.get(i).forEach(launch -> once.addAll(launch.inputs()));
            if (once.remove(workspace.layer())) {
                everyTime.add(workspace.layer());
            }
            once.removeAll(known);
            once.removeAll(everyTime);
            made.add(new Stage(
                    program + sections.get(i).name(), launches.get(i), everyTime, List.copyOf(once), handedOn));
            // What later sections read as well is handed on to them; what is this section's own is not.
            for (List<Launch> later : launches.subList(i + 1, launches.size())) {
                for (Launch launch : later) {
                    launch.inputs().stream().filter(once::contains).forEach(known::add);
                }
            }
            everyTime.stream().filter(array -> array != workspace.layer()).forEach(known::add);
        }
        return made;
    }

    @Override
    public List<Stage> stages() {
        return stages;
    }

    @Override
    public void run(StepShape shape, IntConsumer execute) {
        for (int i = 0; i < sections.size(); i++) {
            Section section = sections.get(i);
            for (int l = 0; l < section.layers(); l++) {
                if (section.firstLayer().isPresent()) {
                    workspace.setLayer(section.firstLayer().getAsInt(), l);
                } else {
                    workspace.setNoLayer();
                }
                execute.accept(UPLOAD + 1 + i);
            }
        }
    }
}
