package io.tutti.hub;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Sends requests to a hub and to where it leads, through the user's proxies. The token goes to the hub's own address and to no
 * other, a proxy's password to that proxy alone.
 */
final class Requests implements AutoCloseable {
    private static final int PROXY_WANTS_PASSWORD = 407;
    private static final String NO_TUNNEL_FOR = "jdk.http.auth.tunneling.disabledSchemes";

    static {
        // Else the JDK's client sends no password to a proxy that opens a tunnel.
        if (System.getProperty(NO_TUNNEL_FOR) == null) {
            System.setProperty(NO_TUNNEL_FOR, "");
        }
    }

    private final URI hub;
    private final Optional<String> token;
    private final Proxies proxies;
    private final Patience patience;
    private final HttpClient http;

    /** @throws HubException if the environment has no address or token that could be used */
    Requests(HubEnvironment environment, Patience patience) {
        hub = environment.endpoint();
        token = environment.token();
        proxies = environment.proxies();
        this.patience = patience;
        http = HttpClient.newBuilder()
                .version(Version.HTTP_1_1)
                .followRedirects(Redirect.NEVER)
                .connectTimeout(patience.connect())
                .sslContext(environment.tls())
                .proxy(proxies)
                .build();
    }

    URI hub() {
        return hub;
    }

    URI at(String pathAndQuery) {
        return URI.create(hub + pathAndQuery);
    }

    boolean hasToken() {
        return token.isPresent();
    }

    /** @throws HubException if a variable names one that cannot be used */
    Optional<Proxies.Named> proxy(URI uri) {
        return proxies.of(uri);
    }

    /**
     * Sends a request without a body, and follows no redirect.
     *
     * @param from the first byte that is wanted
     * @throws HubException if a variable names a proxy that cannot be used, or not with its user and password
     */
    HttpResponse<InputStream> send(String method, URI uri, OptionalLong from) throws IOException, InterruptedException {
        try {
            HttpResponse<InputStream> response = http.send(request(method, uri, from), BodyHandlers.ofInputStream());
            if (response.statusCode() == PROXY_WANTS_PASSWORD) {
                throw new HubException(
                        proxy(uri).map(Proxies.Named::toString).orElse("the proxy")
                                + " wants a user and a password, or others; accepted: HTTPS_PROXY=http://user:password@host:port");
            }
            return response;
        } catch (IllegalArgumentException e) {
            // So the client tells a Content-Length that is no number.
            throw new IOException("an answer with a header that cannot be read: " + e.getMessage(), e);
        }
    }

    private HttpRequest request(String method, URI uri, OptionalLong from) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .method(method, BodyPublishers.noBody())
                .timeout(patience.answer())
                .header("User-Agent", "tutti")
                .header("Accept-Encoding", "identity");
        from.ifPresent(offset -> request.header("Range", "bytes=" + offset + "-"));
        if (isHub(uri)) {
            token.ifPresent(value -> request.header("Authorization", "Bearer " + value));
        }
        proxies.of(uri)
                .flatMap(Proxies.Named::authorization)
                .ifPresent(value -> request.header("Proxy-Authorization", value));
        return request.build();
    }

    /** The same scheme, host and port as the hub's: what may see the token. */
    boolean isHub(URI uri) {
        return uri.getScheme().equalsIgnoreCase(hub.getScheme())
                && uri.getHost().equalsIgnoreCase(hub.getHost())
                && port(uri) == port(hub);
    }

    private static int port(URI uri) {
        if (uri.getPort() >= 0) {
            return uri.getPort();
        }
        return WebAddress.isSecure(uri) ? 443 : 80;
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
