package io.tutti.tornado.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Phaser;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.common.TaskPackage;

/**
 * Runs kernels as the plain Java that they are: a thread for each work-item of a work-group, one group after the other. A
 * group whose work-items do not all meet the same barriers is an error, as it is for a device.
 */
final class JvmRunner implements KernelRunner {

    @Override
    public Launch prepare(TaskPackage task, Object... written) {
        Object[] parameters = task.getTaskParameters();
        Object code = parameters[0];
        Object[] arguments = Arrays.copyOfRange(parameters, 1, parameters.length);
        Method apply = Arrays.stream(code.getClass().getDeclaredMethods())
                .filter(m -> m.getName().equals("apply"))
                .findFirst()
                .orElseThrow();
        apply.setAccessible(true);
        int context = Arrays.stream(arguments).map(Object::getClass).toList().indexOf(KernelContext.class);
        return grid -> {
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int z = 0; z < grid.z(); z += grid.localZ()) {
                    for (int y = 0; y < grid.y(); y += grid.localY()) {
                        for (int x = 0; x < grid.x(); x += grid.localX()) {
                            runGroup(threads, apply, code, arguments, context, grid, new int[] {x, y, z});
                        }
                    }
                }
            }
        };
    }

    /** @param first the global indices of the group's first work-item */
    private static void runGroup(
            ExecutorService threads,
            Method apply,
            Object code,
            Object[] arguments,
            int contextIndex,
            Grid grid,
            int[] first) {
        int items = grid.localX() * grid.localY() * grid.localZ();
        Group group = new Group(items);
        List<Callable<Integer>> calls = new ArrayList<>();
        for (int z = 0; z < grid.localZ(); z++) {
            for (int y = 0; y < grid.localY(); y++) {
                for (int x = 0; x < grid.localX(); x++) {
                    WorkItem item = new WorkItem(group, grid, first, new int[] {x, y, z});
                    Object[] own = arguments.clone();
                    own[contextIndex] = item;
                    calls.add(() -> {
                        try {
                            apply.invoke(code, own);
                        } finally {
                            group.barrier.arriveAndDeregister();
                        }
                        return item.barriers;
                    });
                }
            }
        }
        try {
            List<Integer> barriers = new ArrayList<>();
            for (Future<Integer> item : items == 1 ? List.of(now(calls.getFirst())) : threads.invokeAll(calls)) {
                barriers.add(item.get());
            }
            assertThat(barriers)
                    .as("barriers that the work-items of a group met")
                    .containsOnly(barriers.getFirst());
        } catch (ExecutionException e) {
            throw new AssertionError("a kernel failed", e.getCause());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static Future<Integer> now(Callable<Integer> call) {
        FutureTask<Integer> task = new FutureTask<>(call);
        task.run();
        return task;
    }

    /** What the work-items of a group share. */
    private static final class Group {
        final Phaser barrier;
        final List<float[]> arrays = new ArrayList<>();

        Group(int items) {
            barrier = new Phaser(items);
        }

        /** The array of the n-th allocation, which every work-item makes. */
        synchronized float[] array(int n, int size) {
            if (n == arrays.size()) {
                arrays.add(new float[size]);
            }
            return arrays.get(n);
        }
    }

    /** Where a work-item is. */
    private static final class WorkItem extends KernelContext {
        private final Group group;
        private int allocations;
        int barriers;

        WorkItem(Group group, Grid grid, int[] first, int[] local) {
            this.group = group;
            int[] size = {grid.x(), grid.y(), grid.z()};
            int[] localSize = {grid.localX(), grid.localY(), grid.localZ()};
            for (int i = 0; i < 3; i++) {
                char axis = "xyz".charAt(i);
                char capital = "XYZ".charAt(i);
                set("globalId" + axis, first[i] + local[i]);
                set("localId" + axis, local[i]);
                set("groupId" + axis, first[i] / localSize[i]);
                set("globalGroupSize" + capital, size[i]);
                set("localGroupSize" + capital, localSize[i]);
            }
        }

        private void set(String name, int value) {
            try {
                Field field = KernelContext.class.getField(name);
                field.setAccessible(true);
                field.set(this, value);
            } catch (ReflectiveOperationException e) {
                throw new LinkageError(e.getMessage(), e);
            }
        }

        @Override
        public float[] allocateFloatLocalArray(int size) {
            return group.array(allocations++, size);
        }

        @Override
        public void localBarrier() {
            barriers++;
            group.barrier.arriveAndAwaitAdvance();
        }

        @Override
        public void globalBarrier() {
            localBarrier();
        }
    }
}
