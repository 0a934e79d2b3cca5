package io.tutti.hub;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A hub behind TLS, with a certificate that nobody but its maker trusts, as a company's proxy has it. */
final class LoopbackTls implements AutoCloseable {
    private static final char[] PASSWORD = "changeit".toCharArray();

    /** How many connections got as far as a request. */
    final AtomicInteger requests = new AtomicInteger();

    private final HttpsServer server;
    private final Path certificate;

    /**
     * @param folder for its files, which the next one with the same name takes
     * @param name what its certificate is for, as keytool takes it: {@code ip:127.0.0.1}
     * @param hub what it hands requests on to
     */
    LoopbackTls(Path folder, String name, LoopbackHub hub) {
        try {
            String file = name.replaceAll("\\W", "-");
            Path store = folder.resolve(file + ".p12");
            certificate = folder.resolve(file + ".pem");
            if (!Files.exists(certificate)) {
                keytool(
                        "-genkeypair",
                        "-keystore",
                        store.toString(),
                        "-alias",
                        "tls",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=tutti",
                        "-validity",
                        "2",
                        "-ext",
                        "san=" + name,
                        "-ext",
                        "bc=ca:true");
                keytool(
                        "-exportcert",
                        "-rfc",
                        "-keystore",
                        store.toString(),
                        "-alias",
                        "tls",
                        "-file",
                        certificate.toString());
            }
            server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setHttpsConfigurator(new HttpsConfigurator(context(store)));
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            HttpClient client = HttpClient.newHttpClient();
            server.createContext("/", exchange -> {
                requests.incrementAndGet();
                HttpRequest request = HttpRequest.newBuilder(URI.create(hub.endpoint() + exchange.getRequestURI()))
                        .build();
                try (exchange) {
                    HttpResponse<byte[]> answer = client.send(request, BodyHandlers.ofByteArray());
                    answer.headers()
                            .map()
                            .forEach((header, values) ->
                                    exchange.getResponseHeaders().put(header, new ArrayList<>(values)));
                    exchange.sendResponseHeaders(
                            answer.statusCode(), answer.body().length == 0 ? -1 : answer.body().length);
                    exchange.getResponseBody().write(answer.body());
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                }
            });
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Its certificate in PEM. */
    Path certificate() {
        return certificate;
    }

    String endpoint() {
        return "https://127.0.0.1:" + server.getAddress().getPort();
    }

    private static void keytool(String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storepass", new String(PASSWORD)));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(said);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static SSLContext context(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, PASSWORD);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
