package io.tutti.cli.keep;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Notices that the client has closed its connection, or has sent something when it should be silent. */
final class Departure {

    private volatile boolean left;

    private Departure() {}

    /** Watches {@code client} in a thread of its own, which ends with the connection. */
    static Departure of(SocketChannel client) {
        Departure departure = new Departure();
        Thread.ofPlatform().daemon().name("tutti-keep-departure").start(() -> {
            try {
                client.read(ByteBuffer.allocate(1));
            } catch (IOException _) {
                // Closed as well.
            } finally {
                departure.left = true;
            }
        });
        return departure;
    }

    boolean hasLeft() {
        return left;
    }
}
