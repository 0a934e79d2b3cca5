package io.tutti.tornado.opencl;

import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.lwjgl.opencl.CL10.CL_DEVICE_TYPE_ALL;
import static org.lwjgl.opencl.CL10.CL_MEM_READ_WRITE;
import static org.lwjgl.opencl.CL10.CL_PROGRAM_BUILD_LOG;
import static org.lwjgl.opencl.CL10.CL_SUCCESS;
import static org.lwjgl.opencl.CL10.clBuildProgram;
import static org.lwjgl.opencl.CL10.clCreateBuffer;
import static org.lwjgl.opencl.CL10.clCreateCommandQueue;
import static org.lwjgl.opencl.CL10.clCreateContext;
import static org.lwjgl.opencl.CL10.clCreateKernel;
import static org.lwjgl.opencl.CL10.clCreateProgramWithSource;
import static org.lwjgl.opencl.CL10.clEnqueueNDRangeKernel;
import static org.lwjgl.opencl.CL10.clEnqueueReadBuffer;
import static org.lwjgl.opencl.CL10.clEnqueueWriteBuffer;
import static org.lwjgl.opencl.CL10.clFinish;
import static org.lwjgl.opencl.CL10.clGetDeviceIDs;
import static org.lwjgl.opencl.CL10.clGetPlatformIDs;
import static org.lwjgl.opencl.CL10.clGetProgramBuildInfo;
import static org.lwjgl.opencl.CL10.clReleaseCommandQueue;
import static org.lwjgl.opencl.CL10.clReleaseContext;
import static org.lwjgl.opencl.CL10.clReleaseKernel;
import static org.lwjgl.opencl.CL10.clReleaseMemObject;
import static org.lwjgl.opencl.CL10.clReleaseProgram;
import static org.lwjgl.opencl.CL10.clSetKernelArg;
import static org.lwjgl.opencl.CL10.clSetKernelArg1i;
import static org.lwjgl.opencl.CL10.clSetKernelArg1p;
import static org.lwjgl.system.MemoryUtil.memAddress;
import static org.lwjgl.system.MemoryUtil.memUTF8;

import io.tutti.tornado.config.CompilerFlags;
import io.tutti.tornado.kernel.Grid;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.lwjgl.PointerBuffer;
import org.lwjgl.system.Configuration;
import org.lwjgl.system.MemoryStack;

/**
 * Oclgrind, an OpenCL device that interprets kernels and reports every access out of bounds, every data race and every
 * barrier that only a part of a work-group reaches. Used without TornadoVM, which takes it for three devices and none.
 */
public final class Oclgrind implements AutoCloseable {

    private static final String SKIPPED =
            "SKIPPED: no kernel was run on Oclgrind, which is not installed (Linux, x86-64: package oclgrind)";

    private static final List<String> LIBRARIES = Stream.of("lib/oclgrind", "lib", "lib64/oclgrind", "lib64")
            .map(folder -> folder + "/liboclgrind-rt.so")
            .toList();

    /** TornadoVM's own arguments, ahead of a kernel's: a buffer, a buffer of constants, local memory and a buffer. */
    private static final int LOCAL_REGION = 2;

    private static final int OWN_ARGUMENTS = 4;

    /** Bytes of each of TornadoVM's own arguments; our kernels use none of them. */
    private static final int OWN_BYTES = 16;

    private static final Pattern KERNEL = Pattern.compile("__kernel void (\\w+)\\(");

    private final Path log;
    private final long device;
    private final long context;
    private final long queue;
    private final Map<String, Long> programs = new HashMap<>();

    /** Starts it where it is installed; elsewhere the test is skipped, and says so. */
    public static Oclgrind startOrSkip() {
        Optional<Path> library = library();
        if (library.isEmpty()) {
            System.err.println(SKIPPED);
        }
        assumeTrue(library.isPresent(), SKIPPED);
        return new Oclgrind(library.get());
    }

    private Oclgrind(Path library) {
        try {
            log = Files.createTempFile("oclgrind", ".log");
            log.toFile().deleteOnExit();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        // Read from the environment when a context is made.
        setEnvironment("OCLGRIND_LOG", log.toString());
        setEnvironment("OCLGRIND_DATA_RACES", "1");
        setEnvironment("OCLGRIND_UNIFORM_WRITES", "1");
        Configuration.OPENCL_LIBRARY_NAME.set(library.toString());
        // LWJGL's default is sun.misc.Unsafe, of which the JDK warns.
        Configuration.MEMORY_BACKEND.set("ffm");
        try (MemoryStack stack = MemoryStack.stackPush()) {
            PointerBuffer id = stack.mallocPointer(1);
            check(clGetPlatformIDs(id, (IntBuffer) null));
            check(clGetDeviceIDs(id.get(0), CL_DEVICE_TYPE_ALL, id, (IntBuffer) null));
            device = id.get(0);
            context = created(error -> clCreateContext((PointerBuffer) null, device, null, 0, error));
            queue = created(error -> clCreateCommandQueue(context, device, 0, error));
        }
    }

    /** Oclgrind's OpenCL library, beside the {@code oclgrind} on the PATH; only where LWJGL's natives are those we have. */
    private static Optional<Path> library() {
        if (!System.getProperty("os.name").equals("Linux")
                || !System.getProperty("os.arch").equals("amd64")) {
            return Optional.empty();
        }
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(Path::of)
                .filter(folder -> Files.isExecutable(folder.resolve("oclgrind")))
                .flatMap(folder -> LIBRARIES.stream().map(name -> folder.resolveSibling(name)))
                .filter(Files::isReadable)
                .findFirst();
    }

    /** For native code in this process: System.getenv does not see it. */
    @SuppressWarnings("restricted")
    private static void setEnvironment(String name, String value) {
        Linker linker = Linker.nativeLinker();
        MethodHandle setenv = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("setenv"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
        try (Arena arena = Arena.ofConfined()) {
            check((int) setenv.invokeExact(arena.allocateFrom(name), arena.allocateFrom(value), 1));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Compiles the one kernel in some generated code.
     *
     * @param arrays what the kernel's buffers hold, header and all: read before each launch and written after it
     * @param scalars what follows them, each an Integer or a Float
     */
    public Kernel build(String source, List<MemorySegment> arrays, List<Object> scalars) {
        return new Kernel(source, arrays, scalars);
    }

    /** Compiled once, however many kernels are made of it. */
    private long program(String source) {
        long program = created(error -> clCreateProgramWithSource(context, source, error));
        if (clBuildProgram(program, device, CompilerFlags.openCl(false), null, 0) != CL_SUCCESS) {
            throw new AssertionError(buildLog(program) + "\n" + source);
        }
        return program;
    }

    private String buildLog(long program) {
        try (MemoryStack stack = MemoryStack.stackPush()) {
            ByteBuffer text = stack.calloc(8192);
            clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, text, null);
            return memUTF8(memAddress(text));
        }
    }

    /** What it has reported so far: nothing, if all is well. */
    public String messages() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        programs.values().forEach(program -> clReleaseProgram(program));
        clReleaseCommandQueue(queue);
        clReleaseContext(context);
    }

    /** A compiled kernel with its arguments. */
    public final class Kernel implements AutoCloseable {
        private final List<MemorySegment> arrays;
        private final List<Long> buffers = new ArrayList<>();
        private final long kernel;

        private Kernel(String source, List<MemorySegment> arrays, List<Object> scalars) {
            this.arrays = List.copyOf(arrays);
            long program = programs.computeIfAbsent(source, _ -> program(source));
            Matcher name = KERNEL.matcher(source);
            if (!name.find()) {
                throw new AssertionError("no kernel in " + source);
            }
            kernel = created(error -> clCreateKernel(program, name.group(1), error));
            setArguments(scalars);
        }

        private void setArguments(List<Object> scalars) {
            int index = 0;
            for (; index < OWN_ARGUMENTS; index++) {
                check(
                        index == LOCAL_REGION
                                ? clSetKernelArg(kernel, index, OWN_BYTES)
                                : clSetKernelArg1p(kernel, index, buffer(OWN_BYTES)));
            }
            for (MemorySegment array : arrays) {
                check(clSetKernelArg1p(kernel, index++, buffer(array.byteSize())));
            }
            for (Object scalar : scalars) {
                int bits = scalar instanceof Float f ? Float.floatToRawIntBits(f) : (Integer) scalar;
                check(clSetKernelArg1i(kernel, index++, bits));
            }
        }

        private long buffer(long bytes) {
            long buffer = created(error -> clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, error));
            buffers.add(buffer);
            return buffer;
        }

        /** Uploads all arrays, launches, and downloads them. */
        public void run(Grid grid) {
            try (MemoryStack stack = MemoryStack.stackPush()) {
                for (int i = 0; i < arrays.size(); i++) {
                    ByteBuffer bytes = arrays.get(i).asByteBuffer();
                    check(clEnqueueWriteBuffer(queue, buffers.get(OWN_ARGUMENTS - 1 + i), true, 0, bytes, null, null));
                }
                PointerBuffer global = stack.pointers(grid.x(), grid.y(), grid.z());
                PointerBuffer local = stack.pointers(grid.localX(), grid.localY(), grid.localZ());
                check(clEnqueueNDRangeKernel(queue, kernel, 3, null, global, local, null, null));
                check(clFinish(queue));
                for (int i = 0; i < arrays.size(); i++) {
                    ByteBuffer bytes = arrays.get(i).asByteBuffer();
                    check(clEnqueueReadBuffer(queue, buffers.get(OWN_ARGUMENTS - 1 + i), true, 0, bytes, null, null));
                }
            }
        }

        @Override
        public void close() {
            clReleaseKernel(kernel);
            buffers.forEach(buffer -> clReleaseMemObject(buffer));
        }
    }

    private static long created(ToLongFunction<IntBuffer> call) {
        try (MemoryStack stack = MemoryStack.stackPush()) {
            IntBuffer error = stack.callocInt(1);
            long object = call.applyAsLong(error);
            check(error.get(0));
            return object;
        }
    }

    private static void check(int status) {
        if (status != CL_SUCCESS) {
            throw new AssertionError("OpenCL status " + status);
        }
    }
}
