package io.tutti.hub;

import io.tutti.hub.Attempts.TryAgainException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks a hub for one repository's list and files. Redirects are followed by hand: the token goes to the hub's own
 * address and to no other, and never from https to http.
 */
final class HubClient implements AutoCloseable {
    private static final int MOST_REDIRECTS = 10;
    private static final int OK = 200;
    private static final int PARTIAL = 206;
    private static final int RANGE_NOT_SATISFIABLE = 416;
    private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (\\d{1,18})-\\d{1,18}/(\\d{1,18}|\\*)");

    private final URI endpoint;
    private final Optional<String> token;
    private final ModelName model;
    private final Patience patience;
    private final HttpClient http;

    HubClient(URI endpoint, Optional<String> token, ModelName model, Patience patience) {
        this.endpoint = endpoint;
        this.token = token;
        this.model = model;
        this.patience = patience;
        http = HttpClient.newBuilder()
                .version(Version.HTTP_1_1)
                .followRedirects(Redirect.NEVER)
                .connectTimeout(patience.connect())
                .build();
    }

    /**
     * What the hub lists at the model's revision.
     *
     * @throws IOException if the network fails, or the hub for a while
     * @throws HubException if the hub refuses
     */
    RemoteList list() throws IOException, InterruptedException {
        URI uri = at("/api/models/" + model.repository() + "/revision/" + encode(model.revision()) + "?blobs=true");
        try (Body body = open(uri, "its list of files", OptionalLong.empty(), headers -> {})) {
            byte[] json = body.readAll(RemoteList.LONGEST);
            if (json.length > RemoteList.LONGEST) {
                throw refused("the hub's list of files is longer than " + Text.bytes(RemoteList.LONGEST));
            }
            return RemoteList.parse(model.repository(), json);
        }
    }

    /**
     * Opens a file at a commit, from byte {@code from} on if the server can.
     *
     * @return its bytes; {@link Body#from} says where they begin
     * @throws IOException if the network fails, or the hub for a while
     * @throws HubException if the hub refuses, or means another file than the list did
     */
    Body file(RemoteFile file, String commit, long from) throws IOException, InterruptedException {
        StringBuilder path = new StringBuilder("/" + model.repository() + "/resolve/" + commit);
        for (String name : file.path().split("/", -1)) {
            path.append('/').append(encode(name));
        }
        OptionalLong range = from > 0 ? OptionalLong.of(from) : OptionalLong.empty();
        Body body = open(at(path.toString()), file.path(), range, headers -> requireSame(file, commit, headers));
        if (body.size().isPresent() && body.size().getAsLong() != file.size()) {
            body.close();
            throw refused(file.path() + " has " + Text.bytes(body.size().getAsLong()) + " where it is stored, and "
                    + Text.bytes(file.size()) + " in the hub's list of files");
        }
        return body;
    }

    private interface HeaderCheck {
        void check(HttpHeaders headers);
    }

    /** Follows redirects to an answer with a body. */
    private Body open(URI first, String what, OptionalLong from, HeaderCheck check)
            throws IOException, InterruptedException {
        URI uri = first;
        for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
            HttpResponse<InputStream> response = send(request(uri, from));
            int status = response.statusCode();
            boolean usable = status == OK || (status == PARTIAL && from.isPresent());
            if (usable || status / 100 == 3) {
                // The hub says them where it redirects to its file server, which does not know them.
                check.check(response.headers());
            }
            if (usable) {
                return body(response, what, from);
            }
            response.body().close();
            if (status == RANGE_NOT_SATISFIABLE && from.isPresent()) {
                return open(first, what, OptionalLong.empty(), check);
            }
            if (status / 100 != 3) {
                throw failure(uri, what, response);
            }
            uri = redirect(uri, what, response);
        }
        throw refused(what + " is redirected more than " + MOST_REDIRECTS + " times");
    }

    private HttpResponse<InputStream> send(HttpRequest request) throws IOException, InterruptedException {
        try {
            return http.send(request, BodyHandlers.ofInputStream());
        } catch (IllegalArgumentException e) {
            // So the client tells a Content-Length that is no number.
            throw new IOException("an answer with a header that cannot be read: " + e.getMessage(), e);
        }
    }

    private HttpRequest request(URI uri, OptionalLong from) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .timeout(patience.answer())
                .header("User-Agent", "tutti")
                .header("Accept-Encoding", "identity");
        from.ifPresent(offset -> request.header("Range", "bytes=" + offset + "-"));
        if (isHub(uri)) {
            token.ifPresent(value -> request.header("Authorization", "Bearer " + value));
        }
        return request.build();
    }

    private Body body(HttpResponse<InputStream> response, String what, OptionalLong from) throws IOException {
        HttpHeaders headers = response.headers();
        Optional<String> encoding =
                headers.firstValue("Content-Encoding").filter(value -> !value.equalsIgnoreCase("identity"));
        if (encoding.isPresent()) {
            response.body().close();
            throw refused(what + " comes encoded as " + Text.quote(encoding.get()) + ", which was not asked for");
        }
        if (response.statusCode() == OK) {
            return new Body(response.body(), 0, headers.firstValueAsLong("Content-Length"), patience.answer());
        }
        String range = headers.firstValue("Content-Range").orElse("");
        Matcher matcher = CONTENT_RANGE.matcher(range);
        if (!matcher.matches() || Long.parseLong(matcher.group(1)) != from.orElse(0)) {
            response.body().close();
            throw refused(
                    what + " was asked for from byte " + from.orElse(0) + " on, and comes as " + Text.quote(range));
        }
        OptionalLong size =
                matcher.group(2).equals("*") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(matcher.group(2)));
        return new Body(response.body(), from.orElse(0), size, patience.answer());
    }

    private URI redirect(URI from, String what, HttpResponse<?> response) {
        String location = response.headers().firstValue("Location").orElse("");
        URI to;
        try {
            to = from.resolve(URI.create(location));
        } catch (IllegalArgumentException _) {
            throw refused(what + " is redirected to " + Text.quote(location) + ", which is no address");
        }
        boolean downgraded = WebAddress.isSecure(from) && !WebAddress.isSecure(to);
        if (location.isEmpty() || !WebAddress.isOne(to) || downgraded) {
            throw refused(what + " is redirected to " + Text.quote(location) + "; accepted: an https address");
        }
        return to;
    }

    /** The same scheme, host and port as the endpoint's: what may see the token. */
    private boolean isHub(URI uri) {
        return uri.getScheme().equalsIgnoreCase(endpoint.getScheme())
                && uri.getHost().equalsIgnoreCase(endpoint.getHost())
                && port(uri) == port(endpoint);
    }

    private static int port(URI uri) {
        if (uri.getPort() >= 0) {
            return uri.getPort();
        }
        return WebAddress.isSecure(uri) ? 443 : 80;
    }

    /** The hub's own words on a file; a hub that does not say is taken by the hash alone. */
    private void requireSame(RemoteFile file, String commit, HttpHeaders headers) {
        requireSame(file, headers, "X-Repo-Commit", commit);
        requireSame(file, headers, "X-Linked-Size", String.valueOf(file.size()));
        headers.firstValue("X-Linked-Etag")
                .map(etag -> etag.replaceFirst("^W/", "").replace("\"", ""))
                .ifPresent(etag ->
                        requireSame(file, "X-Linked-Etag", etag, file.blob().hex()));
    }

    private void requireSame(RemoteFile file, HttpHeaders headers, String header, String expected) {
        headers.firstValue(header).ifPresent(value -> requireSame(file, header, value, expected));
    }

    private void requireSame(RemoteFile file, String header, String value, String expected) {
        if (!value.equals(expected)) {
            throw refused(file.path() + " comes with " + header + ": " + Text.quote(value)
                    + ", the hub's list of files says " + expected);
        }
    }

    /** What to throw for a status that is neither success nor a redirect, unless the hub has refused for good. */
    private TryAgainException failure(URI uri, String what, HttpResponse<?> response) {
        int status = response.statusCode();
        // A file server's addresses are made anew for each request, so that even its refusals may pass.
        if (!isHub(uri) || status == 408 || status == 429 || status >= 500) {
            return new TryAgainException(
                    (isHub(uri) ? "the hub" : "the file server " + uri.getHost()) + " answers " + status,
                    RetryAfter.of(response.headers()));
        }
        throw refusal(
                what, status, response.headers().firstValue("X-Error-Code").orElse(""));
    }

    private HubException refusal(String what, int status, String code) {
        String page = endpoint + "/" + model.repository();
        return refused(
                switch (status) {
                    case 401 ->
                        token.isPresent()
                                ? "the hub does not accept the token; accepted: in HF_TOKEN, one of an account that may"
                                        + " read it"
                                : "is not there, or is private or gated; check the name, or set HF_TOKEN to a token of"
                                        + " an account that may read it";
                    case 403 ->
                        code.equals("GatedRepo")
                                ? "is gated; ask for access at " + page + ", and set HF_TOKEN to your token"
                                : "the hub denies access; set HF_TOKEN to a token that may read " + page;
                    case 404 ->
                        switch (code) {
                            case "RevisionNotFound" ->
                                "has no revision " + Text.quote(model.revision())
                                        + "; accepted: a branch, a tag, a commit or refs/pr/N";
                            case "EntryNotFound" -> "the hub lists " + what + " and does not have it";
                            default -> "there is no " + page + "; accepted: the name of a model there, owner/name";
                        };
                    default -> "the hub answers " + status + " to the request for " + what;
                });
    }

    private HubException refused(String problem) {
        return new HubException(model + ": " + problem);
    }

    private URI at(String pathAndQuery) {
        return URI.create(endpoint + pathAndQuery);
    }

    private static String encode(String text) {
        StringBuilder encoded = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xFF);
            if (c < 0x80 && (Character.isLetterOrDigit(c) || "-._~".indexOf(c) >= 0)) {
                encoded.append(c);
            } else {
                encoded.append('%').append(HexFormat.of().toHexDigits(b).toUpperCase(Locale.ROOT));
            }
        }
        return encoded.toString();
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
