package io.tutti.tornado.program;

import io.tutti.engine.backend.DeviceException;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.backend.Program;
import io.tutti.engine.backend.ProgramLimits;
import io.tutti.engine.backend.StepInputs;
import io.tutti.engine.graph.Buffer;
import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op;
import io.tutti.engine.parallel.Workers;
import io.tutti.kv.KvAttachment;
import io.tutti.kv.KvDeviceCopy;
import io.tutti.kv.KvPool;
import io.tutti.modelio.weights.WeightSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import uk.ac.manchester.tornado.api.DataRange;
import uk.ac.manchester.tornado.api.GridScheduler;
import uk.ac.manchester.tornado.api.ImmutableTaskGraph;
import uk.ac.manchester.tornado.api.TornadoExecutionPlan;
import uk.ac.manchester.tornado.api.TornadoExecutionResult;
import uk.ac.manchester.tornado.api.exceptions.TornadoExecutionPlanException;
import uk.ac.manchester.tornado.api.exceptions.TornadoInternalError;
import uk.ac.manchester.tornado.api.exceptions.TornadoOutOfMemoryException;

/**
 * A graph as TornadoVM's task graphs. What changes in a step goes up ahead of the first, the results come down after the
 * last, and everything in between stays on the device.
 *
 * <p>Every launch is counted, and the counts are compared after each step: {@link LaunchCounts}.
 */
public final class TornadoProgram implements Program {

    /** Task graphs' names are unique in a process. */
    private static final AtomicInteger PROGRAMS = new AtomicInteger();

    private final String name = "tutti" + PROGRAMS.getAndIncrement();
    private final Graph graph;
    private final Target target;
    private final CacheArrays cacheArrays;
    private final List<Section> sections;
    private final ValuesLayout layout;
    private final Workspace workspace;
    private final Kernels kernels;
    private final List<Stage> stages;
    private final LaunchCounts launchCounts;
    private final long weightBytes;
    private final TornadoExecutionPlan plan;
    private final KvAttachment attachment;
    private TornadoExecutionResult lastResult;
    private StepShape shape = StepShape.EMPTY;
    private boolean closed;

    /**
     * Loads the weights onto the device and compiles the kernels.
     *
     * @param threads host threads that repack the weights
     * @throws DeviceException if the device has no room for it, or fails
     */
    public TornadoProgram(
            Graph graph,
            WeightSource source,
            KvPool pool,
            ProgramLimits limits,
            Target target,
            int threads,
            LoadProgress progress) {
        this.graph = graph;
        this.target = target;
        boolean usesCache = graph.kinds().stream()
                .flatMap(List::stream)
                .anyMatch(op -> op instanceof Op.WriteKv || op instanceof Op.Attention);
        // First of all: a pool that has a program already is refused before anything is loaded.
        attachment = usesCache ? pool.attach(new DeviceCopy()) : null;
        try {
            cacheArrays = new CacheArrays(pool, usesCache);
            SectionPlan sectionPlan = new SectionPlan(graph, source, pool, target.limits());
            sections = sectionPlan.sections();
            List<FusedOp> ops =
                    sections.stream().flatMap(section -> section.ops().stream()).toList();
            Mapping mapping = target.mapping();
            DeviceVectors vectors = new DeviceVectors(sections);
            int quantizedStride = sectionPlan.quantizedStride(sections, mapping);
            layout = new ValuesLayout(
                    ops,
                    limits,
                    vectors.size(),
                    quantizedStride,
                    mapping == Mapping.VECTORS ? ClLowering.scratch(ops, target.units(), quantizedStride) : 0);
            try (DeviceWeights weights = new DeviceWeights(sectionPlan, sections)) {
                weightBytes = weights.bytes() + vectors.bytes();
                // The vectors are among the layout's.
                new MemoryNeeds(weights.bytes(), cacheArrays.bytes(), cacheArrays.mostBytes(), layout.bytes())
                        .check(target.limits());
                Loading loading = new Loading(progress, graph.weights().size());
                weights.allocate();
                workspace = new Workspace(target.limits(), limits, mapping, layout.size(), cacheArrays);
                kernels = kernels(mapping, weights, vectors);
                stages = kernels.stages();
                requireGroups();
                try (Workers workers = new Workers(threads)) {
                    weights.load(sections, source, workers, loading);
                }
                vectors.load(source, workspace.values(), loading);
                launchCounts = new LaunchCounts(workspace.launches());
                plan = plan();
                guarded(this::runOnce);
            }
        } catch (RuntimeException | Error e) {
            closeAfter(e);
            throw e;
        }
    }

    /** Gives back what there is, whatever comes of it: what went wrong before is what to tell. */
    private void closeAfter(Throwable failure) {
        try {
            close();
        } catch (RuntimeException | Error e) {
            failure.addSuppressed(e);
        }
    }

    Kernels kernels() {
        return kernels;
    }

    private Kernels kernels(Mapping mapping, DeviceWeights weights, DeviceVectors vectors) {
        return switch (mapping) {
            case TILES, LANES ->
                new JavaKernels(name, sections, workspace, new Lowering(workspace, mapping, layout, weights, vectors));
            case VECTORS ->
                new ClKernels(
                        name,
                        graph,
                        sections,
                        workspace,
                        new ClLowering(workspace, layout, weights, vectors, target.units()));
        };
    }

    /** A group that a device has no room for TornadoVM would replace by one of another size, in which kernels go wrong. */
    private void requireGroups() {
        for (Stage stage : stages) {
            for (Launch launch : stage.launches()) {
                if (launch.groupItems() > target.limits().groupItems()) {
                    throw target.limits()
                            .refusal("kernel %s takes work-groups of %d, the device has %d at most"
                                    .formatted(
                                            launch.task(),
                                            launch.groupItems(),
                                            target.limits().groupItems()));
                }
            }
        }
    }

    private TornadoExecutionPlan plan() {
        GridScheduler scheduler = new GridScheduler();
        ImmutableTaskGraph[] graphs = new ImmutableTaskGraph[stages.size()];
        for (int i = 0; i < graphs.length; i++) {
            Stage stage = stages.get(i);
            graphs[i] = stage.taskGraph(i == 0 ? null : stages.get(i - 1)).snapshot();
            stage.launches()
                    .forEach(launch -> scheduler.addWorkerGrid(stage.name() + "." + launch.task(), launch.workers()));
        }
        TornadoExecutionPlan made = new TornadoExecutionPlan(graphs);
        made.withDevice(target.device());
        made.withGridScheduler(scheduler);
        target.compilerFlags().ifPresent(flags -> made.withCompilerFlags(target.backend(), flags));
        return made;
    }

    /** Runs every stage on no token: compiles the kernels, uploads the weights, and proves that all of it works. */
    private Void runOnce() {
        for (int i = 0; i < stages.size(); i++) {
            execute(i);
        }
        checkLaunches();
        return null;
    }

    @Override
    public void run(StepInputs inputs) {
        requireOpen();
        if (attachment != null) {
            attachment.beforeStep();
        }
        guarded(() -> {
            shape = workspace.fill(inputs);
            for (Stage stage : stages) {
                stage.launches().forEach(launch -> launch.resize(shape));
            }
            kernels.run(shape, this::execute);
            checkLaunches();
            return null;
        });
    }

    private void execute(int stage) {
        lastResult = plan.withGraph(stage).execute();
        launchCounts.executed(stages.get(stage));
    }

    private void checkLaunches() {
        launchCounts.check(stages, lastResult, target.limits());
    }

    @Override
    public void read(Buffer buffer, float[] out) {
        requireOpen();
        graph.requireResult(buffer);
        View view = layout.of(buffer);
        int rows = shape.rows(buffer.rows());
        if (rows == 0) {
            return;
        }
        guarded(() -> {
            int numbers = (rows - 1) * view.stride() + view.width();
            lastResult.transferToHost(
                    new DataRange(workspace.values()).withOffset(view.at()).withSize(numbers));
            NativeArrays.copyRows(workspace.values(), view, rows, out);
            return null;
        });
    }

    @Override
    public long weightBytes() {
        return weightBytes;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (attachment != null) {
                attachment.close();
            }
        } finally {
            free();
        }
    }

    private void free() {
        if (plan == null) {
            return;
        }
        guarded(() -> {
            try {
                plan.close();
            } catch (TornadoExecutionPlanException e) {
                throw failure(e);
            }
            return null;
        });
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the program is closed");
        }
    }

    /** Whatever TornadoVM or a driver throws becomes one line that names the device. */
    private <T> T guarded(Supplier<T> work) {
        try {
            return work.get();
        } catch (DeviceException e) {
            throw e;
        } catch (TornadoOutOfMemoryException e) {
            throw new DeviceException(failure(e).getMessage() + "; " + MemoryNeeds.LESS, e);
        } catch (RuntimeException | LinkageError | TornadoInternalError e) {
            throw failure(e);
        }
    }

    private DeviceException failure(Throwable thrown) {
        return new DeviceException(
                "device " + target.limits().name() + " failed: " + DeviceFailures.reason(thrown), thrown);
    }

    /** The cache as the device has it. */
    private final class DeviceCopy implements KvDeviceCopy {
        @Override
        public void download() {
            guarded(() -> {
                lastResult.transferToHost(cacheArrays.all().toArray());
                return null;
            });
        }

        @Override
        public void upload() {
            guarded(() -> {
                execute(Kernels.UPLOAD);
                return null;
            });
        }
    }
}
