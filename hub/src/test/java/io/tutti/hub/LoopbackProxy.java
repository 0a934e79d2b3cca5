package io.tutti.hub;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An HTTP proxy on the loopback interface, one request a connection; it knows names that are nobody's. */
final class LoopbackProxy implements AutoCloseable {
    private static final Pattern REQUEST = Pattern.compile("(\\w+) (\\S+) HTTP/1.1\r\n");

    /** What was asked for, with or without success: addresses, or for tunnels {@code host:port}. */
    final List<String> targets = new CopyOnWriteArrayList<>();

    private final ServerSocket server;
    private final String authorization;
    private final Set<String> names = new HashSet<>();
    private int refusal;

    /** @param authorization that every request must have; empty: none */
    LoopbackProxy(String authorization) {
        this.authorization = authorization;
        try {
            server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::serve);
    }

    /** What an environment variable names it by. */
    String address(String user) {
        return "http://" + user + "127.0.0.1:" + server.getLocalPort();
    }

    /** Takes {@code name} for this machine's. */
    void resolve(String name) {
        names.add(name);
    }

    /** Answers every request with {@code status}. */
    void refuse(int status) {
        refusal = status;
    }

    private void serve() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                Thread.ofVirtual().start(() -> handle(client));
            } catch (IOException _) {
                // It is closed.
            }
        }
    }

    private void handle(Socket client) {
        try (client) {
            InputStream in = new BufferedInputStream(client.getInputStream());
            String head = head(in);
            Matcher request = REQUEST.matcher(head);
            if (!request.lookingAt()) {
                return;
            }
            targets.add(request.group(2));
            boolean right = authorization.isEmpty() || head.contains("Proxy-Authorization: " + authorization + "\r\n");
            if (refusal > 0 || !right) {
                String status = refusal > 0 ? refusal + " No" : "407 Who";
                client.getOutputStream()
                        .write(("HTTP/1.1 " + status + "\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0"
                                        + "\r\nConnection: close\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
                return;
            }
            boolean tunnel = request.group(1).equals("CONNECT");
            URI to = URI.create(tunnel ? "https://" + request.group(2) : request.group(2));
            String host = names.contains(to.getHost()) ? "127.0.0.1" : to.getHost();
            try (Socket hub = new Socket(host, to.getPort())) {
                if (tunnel) {
                    client.getOutputStream().write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                } else {
                    hub.getOutputStream()
                            .write(head.replaceFirst("http://[^/]*", "")
                                    .replaceFirst("Proxy-Authorization: .*\r\n", "")
                                    .replaceFirst("\r\n", "\r\nConnection: close\r\n")
                                    .getBytes(StandardCharsets.US_ASCII));
                }
                Thread.ofVirtual().start(() -> copy(in, hub));
                hub.getInputStream().transferTo(client.getOutputStream());
            }
        } catch (IOException _) {
            // The client or the hub has gone.
        }
    }

    private static void copy(InputStream from, Socket to) {
        try {
            OutputStream out = to.getOutputStream();
            from.transferTo(out);
        } catch (IOException _) {
            // One of them has gone.
        }
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        for (int b = in.read(); b >= 0; b = in.read()) {
            head.append((char) b);
            if (head.toString().endsWith("\r\n\r\n")) {
                break;
            }
        }
        return head.toString();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
