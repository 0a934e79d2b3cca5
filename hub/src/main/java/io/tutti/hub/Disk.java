package io.tutti.hub;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** The disk that the cache lies on, as far as it can be full or lack something. */
interface Disk {

    /** The system's. */
    Disk SYSTEM = new Disk() {
        @Override
        public long freeBytes(Path directory) throws IOException {
            return Files.getFileStore(directory).getUsableSpace();
        }

        @Override
        public void write(FileChannel file, ByteBuffer bytes, long position) throws IOException {
            long at = position;
            while (bytes.hasRemaining()) {
                at += file.write(bytes, at);
            }
        }

        @Override
        public boolean lock(FileChannel file) throws IOException {
            return file.tryLock() != null;
        }
    };

    /** What may still be written beside {@code directory}, which exists. */
    long freeBytes(Path directory) throws IOException;

    /** Writes all of {@code bytes}. */
    void write(FileChannel file, ByteBuffer bytes, long position) throws IOException;

    /**
     * Locks {@code file} until it is closed, unless another process has it locked.
     *
     * @return whether it is locked now
     * @throws IOException if this file system has no locks
     */
    boolean lock(FileChannel file) throws IOException;
}
