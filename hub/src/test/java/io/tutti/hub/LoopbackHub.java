package io.tutti.hub;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/**
 * A hub on the loopback interface that behaves as the real one does, and misbehaves as a test asks: small files come from
 * it, those of Git LFS from a file server at another address, to which it redirects.
 */
final class LoopbackHub implements AutoCloseable {
    static final String COMMIT = "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00";
    static final String TOKEN = "hf_secret";

    /** A file of the repository. */
    record Stored(byte[] bytes, boolean lfs) {
        String etag() {
            return lfs ? hash("SHA-256", bytes) : hash("SHA-1", gitBlob(bytes));
        }
    }

    /** What came in; {@code path} as it was sent. */
    record Request(String server, String method, String path, Map<String, String> headers) {
        boolean isFor(String file) {
            return path.endsWith("/" + file);
        }
    }

    /** Answers a request in place of the server. */
    interface Fault {
        void answer(HttpExchange exchange, byte[] bytes) throws IOException;
    }

    final Map<String, Stored> files = new LinkedHashMap<>();
    final List<Request> requests = new CopyOnWriteArrayList<>();
    private final Map<String, Queue<Fault>> faults = new ConcurrentHashMap<>();
    private final HttpServer hub = server();
    private final HttpServer fileServer = server();
    private final String repository;
    /** What every revision is at. */
    String commit = COMMIT;
    /** Whether it lists trees; if so, how many entries a page. */
    int treePage = 1000;
    /** Whether it answers requests for headers alone. */
    boolean heads = true;
    /** Headers that its answers about files do not have. */
    final Set<String> withheld = new HashSet<>();

    /** Serves the repository {@code owner/name}, which has no files yet. */
    LoopbackHub(String repository) {
        this.repository = repository;
        hub.createContext("/", exchange -> {
            note("hub", exchange);
            serveHub(exchange);
        });
        fileServer.createContext("/", exchange -> {
            note("file server", exchange);
            String path = exchange.getRequestURI().getPath().substring(1);
            serve(exchange, path, files.get(path).bytes);
        });
        hub.start();
        fileServer.start();
    }

    /** A hub with a whole little model in it, and files that it does not need. */
    static LoopbackHub withModel() {
        LoopbackHub hub = new LoopbackHub("owner/name");
        hub.put("README.md", "# A model\n".getBytes(StandardCharsets.UTF_8), false);
        hub.put("config.json", "{\"model_type\": \"llama\"}\n".getBytes(StandardCharsets.UTF_8), false);
        hub.put("generation_config.json", "{}".getBytes(StandardCharsets.UTF_8), false);
        hub.put("tokenizer.json", pattern(70_000, 1), false);
        hub.put("chat_template.jinja", new byte[0], false);
        hub.put("additional_chat_templates/tool use.jinja", "{{ tools }}".getBytes(StandardCharsets.UTF_8), false);
        hub.put("model.safetensors", pattern(300_000, 2), true);
        hub.put("pytorch_model.bin", pattern(300_000, 3), true);
        hub.put("model.gguf", pattern(300_000, 4), true);
        hub.put("onnx/model.onnx", pattern(300_000, 5), true);
        return hub;
    }

    /** Bytes of which no two stretches are alike. */
    static byte[] pattern(int length, int seed) {
        byte[] bytes = new byte[length];
        new java.util.Random(seed).nextBytes(bytes);
        return bytes;
    }

    void put(String path, byte[] bytes, boolean lfs) {
        files.put(path, new Stored(bytes, lfs));
    }

    /** The next requests for {@code path}'s bytes, or for the list if it is empty, are answered by these, in turn. */
    void fail(String path, Fault... inTurn) {
        faults.computeIfAbsent(path, _ -> new java.util.concurrent.ConcurrentLinkedQueue<>())
                .addAll(List.of(inTurn));
    }

    /** The next requests for {@code path} are answered as usual. */
    void forget(String path) {
        faults.remove(path);
    }

    /** Whether every fault has been met. */
    boolean isExhausted() {
        return faults.values().stream().allMatch(Queue::isEmpty);
    }

    String endpoint() {
        return "http://127.0.0.1:" + hub.getAddress().getPort();
    }

    String fileServerAddress() {
        return "http://127.0.0.1:" + fileServer.getAddress().getPort();
    }

    /** The environment of a process that pulls from here into {@code cache}. */
    Map<String, String> variables(Path cache) {
        Map<String, String> variables = new HashMap<>();
        variables.put("HF_HUB_CACHE", cache.toString());
        variables.put("HF_ENDPOINT", endpoint());
        variables.put("HF_TOKEN", TOKEN);
        return variables;
    }

    List<Request> requestsFor(String file) {
        return requests.stream().filter(request -> request.isFor(file)).toList();
    }

    /** The hub's answer about the repository. */
    String list() {
        return files.entrySet().stream()
                .map(entry -> sibling(entry.getKey(), entry.getValue()))
                .collect(Collectors.joining(
                        ", ",
                        "{\"_id\": \"0\", \"id\": \"owner/name\", \"private\": false, \"sha\": \"" + commit
                                + "\", \"tags\": [\"llama\"], \"siblings\": [",
                        "]}"));
    }

    private static String sibling(String path, Stored stored) {
        String common = "{\"rfilename\": \"%s\", \"size\": %d, \"blobId\": \"%s\""
                .formatted(path, stored.bytes.length, hash("SHA-1", gitBlob(stored.bytes)));
        return stored.lfs
                ? common
                        + ", \"lfs\": {\"sha256\": \"%s\", \"size\": %d, \"pointerSize\": 134}}"
                                .formatted(stored.etag(), stored.bytes.length)
                : common + "}";
    }

    private void serveHub(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getRawPath();
        if (path.startsWith("/api/models/" + repository + "/tree/" + commit) && treePage > 0) {
            serveTree(exchange);
            return;
        }
        if (exchange.getRequestMethod().equals("HEAD") && !heads) {
            status(405).answer(exchange, new byte[0]);
            return;
        }
        String files = "/" + repository + "/resolve/" + commit + "/";
        path = path.replaceFirst("^/" + repository + "/resolve/main/", files);
        if (path.startsWith("/api/models/" + repository + "/revision/")) {
            serve(exchange, "", list().getBytes(StandardCharsets.UTF_8));
            return;
        }
        String name = path.startsWith(files)
                ? java.net.URLDecoder.decode(path.substring(files.length()), StandardCharsets.UTF_8)
                : null;
        Stored stored = this.files.get(name);
        if (stored == null) {
            status(404, "X-Error-Code", name == null ? "RepoNotFound" : "EntryNotFound")
                    .answer(exchange, new byte[0]);
            return;
        }
        say(exchange, "X-Repo-Commit", commit);
        if (stored.lfs) {
            say(exchange, "X-Linked-Etag", '"' + stored.etag() + '"');
            say(exchange, "X-Linked-Size", String.valueOf(stored.bytes.length));
            redirect(fileServerAddress() + "/" + name).answer(exchange, new byte[0]);
        } else {
            say(exchange, "ETag", "W/\"" + stored.etag() + '"');
            serve(exchange, name, stored.bytes);
        }
    }

    private void say(HttpExchange exchange, String header, String value) {
        if (!withheld.contains(header)) {
            exchange.getResponseHeaders().set(header, value);
        }
    }

    /** Folders too, a page after the other. */
    private void serveTree(HttpExchange exchange) throws IOException {
        String query = exchange.getRequestURI().getQuery();
        int from = query.contains("cursor=") ? Integer.parseInt(query.replaceAll(".*cursor=(\\d+).*", "$1")) : 0;
        List<String> entries = new ArrayList<>();
        entries.add("{\"type\": \"directory\", \"oid\": \"" + "0".repeat(40) + "\", \"size\": 0, \"path\": \"onnx\"}");
        files.forEach((path, stored) -> entries.add(node(path, stored)));
        int to = Math.min(entries.size(), from + treePage);
        if (to < entries.size()) {
            exchange.getResponseHeaders()
                    .set("Link", "<" + nextPage(exchange.getRequestURI().getRawPath(), to) + ">; rel=\"next\"");
        }
        byte[] json = ("[" + String.join(", ", entries.subList(from, to)) + "]").getBytes(StandardCharsets.UTF_8);
        serve(exchange, "tree", json);
    }

    /** The address is the one that the real hub says, as behind a mirror. */
    private static String nextPage(String path, int cursor) {
        return HubEnvironment.DEFAULT_ENDPOINT + path + "?recursive=true&cursor=" + cursor;
    }

    private static String node(String path, Stored stored) {
        String common = "{\"type\": \"file\", \"path\": \"%s\", \"size\": %d, \"oid\": \"%s\""
                .formatted(path, stored.bytes.length, hash("SHA-1", gitBlob(stored.bytes)));
        return stored.lfs
                ? common
                        + ", \"lfs\": {\"oid\": \"%s\", \"size\": %d, \"pointerSize\": 134}, \"xetHash\": \"%s\"}"
                                .formatted(stored.etag(), stored.bytes.length, "e".repeat(64))
                : common + "}";
    }

    private void serve(HttpExchange exchange, String path, byte[] bytes) throws IOException {
        Fault fault = faults.getOrDefault(path, new ArrayDeque<>()).poll();
        (fault == null ? ranges() : fault).answer(exchange, bytes);
    }

    /** The right answer. */
    static Fault ranges() {
        return (exchange, bytes) -> {
            int from = from(exchange);
            if (exchange.getRequestMethod().equals("HEAD")) {
                exchange.getResponseHeaders().set("Content-Length", String.valueOf(bytes.length));
                exchange.sendResponseHeaders(200, -1);
                exchange.close();
            } else if (from >= bytes.length && from > 0) {
                status(416).answer(exchange, bytes);
            } else {
                start(exchange, from, bytes.length);
                body(exchange, Arrays.copyOfRange(bytes, from, bytes.length), bytes.length - from);
            }
        };
    }

    static Fault status(int code, String... headers) {
        return (exchange, _) -> {
            for (int i = 0; i < headers.length; i += 2) {
                exchange.getResponseHeaders().set(headers[i], headers[i + 1]);
            }
            exchange.sendResponseHeaders(code, -1);
            exchange.close();
        };
    }

    static Fault redirect(String location) {
        return status(302, "Location", location);
    }

    /** Everything, whatever range was asked for. */
    static Fault ignoringRanges() {
        return (exchange, bytes) -> {
            exchange.sendResponseHeaders(200, bytes.length);
            body(exchange, bytes, bytes.length);
        };
    }

    /** A connection that ends after {@code count} bytes. */
    static Fault dropAfter(int count) {
        return (exchange, bytes) -> {
            int from = from(exchange);
            start(exchange, from, bytes.length);
            body(exchange, Arrays.copyOfRange(bytes, from, Math.min(from + count, bytes.length)), count);
            exchange.close();
        };
    }

    /** A connection that stays open after {@code count} bytes, and says nothing until {@code end} is run out. */
    static Fault stallAfter(
            int count, java.util.concurrent.CountDownLatch reached, java.util.concurrent.CountDownLatch end) {
        return (exchange, bytes) -> {
            int from = from(exchange);
            start(exchange, from, bytes.length);
            OutputStream out = exchange.getResponseBody();
            try {
                out.write(bytes, from, Math.min(count, bytes.length - from));
                out.flush();
                reached.countDown();
                end.await();
            } catch (IOException _) {
                // The client has gone.
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            } finally {
                exchange.close();
            }
        };
    }

    /** Other bytes, as many as the file has and {@code more}. */
    static Fault otherBytes(int more) {
        return (exchange, bytes) -> {
            byte[] others = pattern(bytes.length + more, 99);
            exchange.sendResponseHeaders(200, 0); // Without saying how many.
            body(exchange, others, others.length);
        };
    }

    /** Fewer or more bytes, and the server says so. */
    static Fault length(int length) {
        return (exchange, bytes) -> {
            exchange.sendResponseHeaders(200, length == 0 ? -1 : length);
            body(exchange, Arrays.copyOf(bytes, length), length);
        };
    }

    static Fault text(String text) {
        return (exchange, _) -> {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            body(exchange, bytes, bytes.length);
        };
    }

    private static void start(HttpExchange exchange, int from, int length) throws IOException {
        if (exchange.getRequestHeaders().containsKey("Range")) {
            exchange.getResponseHeaders().set("Content-Range", "bytes %d-%d/%d".formatted(from, length - 1, length));
            exchange.sendResponseHeaders(206, length - from);
        } else {
            exchange.sendResponseHeaders(200, length == 0 ? -1 : length);
        }
    }

    private static void body(HttpExchange exchange, byte[] bytes, int count) {
        try (exchange) {
            exchange.getResponseBody().write(bytes, 0, Math.min(count, bytes.length));
            exchange.getResponseBody().flush();
        } catch (IOException _) {
            // The client has gone.
        }
    }

    private static int from(HttpExchange exchange) {
        String range = exchange.getRequestHeaders().getFirst("Range");
        return range == null ? 0 : Integer.parseInt(range.replaceAll("bytes=(\\d+)-", "$1"));
    }

    private void note(String server, HttpExchange exchange) {
        Map<String, String> headers = new HashMap<>();
        exchange.getRequestHeaders()
                .forEach((name, values) -> headers.put(name.toLowerCase(java.util.Locale.ROOT), values.getFirst()));
        requests.add(new Request(
                server, exchange.getRequestMethod(), exchange.getRequestURI().getRawPath(), headers));
    }

    private static HttpServer server() {
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] gitBlob(byte[] bytes) {
        byte[] start = ("blob " + bytes.length + "\0").getBytes(StandardCharsets.US_ASCII);
        byte[] all = Arrays.copyOf(start, start.length + bytes.length);
        System.arraycopy(bytes, 0, all, start.length, bytes.length);
        return all;
    }

    static String hash(String algorithm, byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        hub.stop(0);
        fileServer.stop(0);
    }
}
