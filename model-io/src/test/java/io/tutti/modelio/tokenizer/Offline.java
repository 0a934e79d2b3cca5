package io.tutti.modelio.tokenizer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Uses a tokenizer where every connection is refused and counted, then shows that the trap would have caught one. */
final class Offline {
    private static final AtomicInteger ATTEMPTS = new AtomicInteger();

    private Offline() {}

    @SuppressWarnings("deprecation") // The only hook below every way to open a socket.
    public static void main(String[] args) throws IOException {
        ProxySelector.setDefault(new ProxySelector() {
            @Override
            public List<Proxy> select(URI uri) {
                ATTEMPTS.incrementAndGet();
                throw new IllegalStateException("a connection to " + uri);
            }

            @Override
            public void connectFailed(URI uri, SocketAddress address, IOException e) {}
        });
        Socket.setSocketImplFactory(() -> {
            ATTEMPTS.incrementAndGet();
            throw new IllegalStateException("a socket");
        });

        try (Tokenizer tokenizer = HuggingFaceTokenizer.open(Path.of(args[0]), 300)) {
            int[] ids = tokenizer.encode("hello hello");
            if (!tokenizer.decode(ids, true).equals("hello hello")) {
                throw new IllegalStateException("decoded " + tokenizer.decode(ids, true));
            }
        }
        System.out.println("attempts " + ATTEMPTS.get());

        provoke(() -> URI.create("http://127.0.0.1:9/").toURL().openConnection().connect());
        provoke(() -> URI.create("http://127.0.0.1:9/")
                .toURL()
                .openConnection(Proxy.NO_PROXY)
                .connect());
        provoke(() -> new Socket(InetAddress.getLoopbackAddress(), 9).close());
        if (ATTEMPTS.get() == 3) {
            System.out.println("trap works");
        }
    }

    private interface Connection {
        void open() throws IOException;
    }

    private static void provoke(Connection connection) throws IOException {
        try {
            connection.open();
            throw new IOException("the connection was not refused");
        } catch (IllegalStateException _) {
            // As it should be.
        }
    }
}
