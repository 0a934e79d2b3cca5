package io.tutti.cli.console;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The process's standard output, kept from everybody else: TornadoVM's native libraries print their errors there, in the
 * middle of a text or of an object of JSON. What they print goes nowhere from here on; what the runtime fails at, it throws as
 * well. Java's own {@code System.out} is standard error then.
 */
final class OwnOutput extends OutputStream {

    private static final int STANDARD_OUTPUT = 1;
    private static final int WRITE_ONLY = 1;
    /** {@code EPIPE}, on every system that has these functions. */
    private static final int BROKEN_PIPE = 32;

    private static final MemorySegment NOWHERE = Arena.global().allocateFrom("/dev/null");

    private final Posix posix;
    private final int descriptor;

    private OwnOutput(Posix posix, int descriptor) {
        this.posix = posix;
        this.descriptor = descriptor;
    }

    /** Takes it; where the system has no such functions, as Windows, it is as it always was. */
    static OutputStream take() {
        Linker linker = Linker.nativeLinker();
        if (linker.defaultLookup().find("dup2").isEmpty()) {
            return new FileOutputStream(FileDescriptor.out);
        }
        Posix posix = new Posix(linker, linker.defaultLookup());
        int own = posix.dup(STANDARD_OUTPUT);
        int nowhere = posix.open(NOWHERE, WRITE_ONLY);
        if (own < 0 || nowhere < 0 || posix.dup2(nowhere, STANDARD_OUTPUT) < 0) {
            return new FileOutputStream(FileDescriptor.out);
        }
        System.setOut(System.err);
        return new OwnOutput(posix, own);
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment rest = arena.allocate(Math.max(1, length)).asSlice(0, length);
            MemorySegment.copy(bytes, offset, rest, ValueLayout.JAVA_BYTE, 0, length);
            while (rest.byteSize() > 0) {
                rest = rest.asSlice(posix.write(descriptor, rest));
            }
        }
    }

    /** The system's functions. */
    private static final class Posix {
        private static final VarHandle ERROR =
                Linker.Option.captureStateLayout().varHandle(MemoryLayout.PathElement.groupElement("errno"));
        private static final int INTERRUPTED = 4;

        private final MemorySegment state = Arena.global().allocate(Linker.Option.captureStateLayout());
        private final MethodHandle dup;
        private final MethodHandle dup2;
        private final MethodHandle open;
        private final MethodHandle write;

        @SuppressWarnings("restricted") // as the launcher allows
        Posix(Linker linker, SymbolLookup library) {
            dup = linker.downcallHandle(
                    library.findOrThrow("dup"), FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
            dup2 = linker.downcallHandle(
                    library.findOrThrow("dup2"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
            open = linker.downcallHandle(
                    library.findOrThrow("open"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
                    Linker.Option.firstVariadicArg(2));
            write = linker.downcallHandle(
                    library.findOrThrow("write"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG),
                    Linker.Option.captureCallState("errno"));
        }

        int dup(int descriptor) {
            try {
                return (int) dup.invokeExact(descriptor);
            } catch (Throwable e) {
                throw new AssertionError("dup", e);
            }
        }

        int dup2(int from, int to) {
            try {
                return (int) dup2.invokeExact(from, to);
            } catch (Throwable e) {
                throw new AssertionError("dup2", e);
            }
        }

        int open(MemorySegment path, int flags) {
            try {
                return (int) open.invokeExact(path, flags);
            } catch (Throwable e) {
                throw new AssertionError("open", e);
            }
        }

        /** Writes some of the bytes; returns how many. */
        long write(int descriptor, MemorySegment bytes) throws IOException {
            long written;
            try {
                written = (long) write.invokeExact(state, descriptor, bytes, bytes.byteSize());
            } catch (Throwable e) {
                throw new AssertionError("write", e);
            }
            if (written >= 0) {
                return written;
            }
            int error = (int) ERROR.get(state, 0L);
            if (error == INTERRUPTED) {
                return 0;
            }
            throw new IOException(error == BROKEN_PIPE ? "Broken pipe" : "writing failed, error number " + error);
        }
    }
}
