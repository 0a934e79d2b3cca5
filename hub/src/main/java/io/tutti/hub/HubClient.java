package io.tutti.hub;

import io.tutti.hub.Attempts.TryAgainException;
import io.tutti.modelio.ModelException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks a hub for one repository's list and files. Redirects are followed by hand, and never from https to http; the hub's own
 * words on a file stand in them.
 */
final class HubClient implements AutoCloseable {
    private static final int MOST_REDIRECTS = 10;
    private static final int OK = 200;
    private static final int PARTIAL = 206;
    private static final int RANGE_NOT_SATISFIABLE = 416;
    /** What servers answer that do not know an address, or not this way of asking. */
    private static final Set<Integer> UNKNOWN_ADDRESS = Set.of(404, 405, 501);

    private static final String LIST = "its list of files";
    private static final Pattern NEXT_PAGE = Pattern.compile("<([^<>]*)>\\s*;[^,]*\\brel=\"?next\"?");
    private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (\\d{1,18})-\\d{1,18}/(\\d{1,18}|\\*)");

    private final Requests requests;
    private final ModelName model;
    private final Patience patience;

    /** @throws HubException if the environment has no hub, token or proxy that could be used */
    HubClient(HubEnvironment environment, ModelName model, Patience patience) {
        this.model = model;
        this.patience = patience;
        requests = new Requests(environment, patience);
    }

    ModelName model() {
        return model;
    }

    /** The hub's address, and the proxy through which it is reached, for messages. */
    String address() {
        URI hub = requests.hub();
        return hub + requests.proxy(hub).map(proxy -> " through " + proxy).orElse("");
    }

    /**
     * What the hub says of the model's revision.
     *
     * @throws IOException if the network fails, or the hub for a while
     * @throws HubException if the hub refuses
     */
    RemoteList information() throws IOException, InterruptedException {
        URI uri = requests.at(
                "/api/models/" + model.repository() + "/revision/" + encode(model.revision()) + "?blobs=true");
        try (Body body = open(uri, LIST, OptionalLong.empty(), _ -> {})) {
            return RemoteList.parse(model.repository(), json(body));
        }
    }

    /**
     * The listing of the tree at a commit, which may take several answers.
     *
     * @return empty if the hub has no such listing
     * @throws IOException if the network fails, or the hub for a while
     */
    Optional<List<RemoteEntry>> tree(String commit) throws IOException, InterruptedException {
        List<RemoteEntry> all = new ArrayList<>();
        Optional<URI> page = Optional.of(
                requests.at("/api/models/" + model.repository() + "/tree/" + commit + "?recursive=true&expand=false"));
        while (page.isPresent()) {
            HttpResponse<InputStream> response = follow(page.get(), LIST, OptionalLong.empty(), _ -> {});
            if (response.statusCode() != OK) {
                response.body().close();
                return noTree(response, page.get());
            }
            try (Body body = body(response, LIST, OptionalLong.empty())) {
                all.addAll(RemoteList.parseTree(model.repository(), json(body)));
            } catch (ModelException _) {
                return Optional.empty(); // A page for people, as servers have for any address.
            }
            if (all.size() > RemoteList.MOST_FILES) {
                throw refused("the hub's list has more than the " + RemoteList.MOST_FILES + " files that are accepted");
            }
            page = nextPage(page.get(), response.headers());
        }
        return Optional.of(all);
    }

    private Optional<List<RemoteEntry>> noTree(HttpResponse<?> response, URI uri) throws TryAgainException {
        if (UNKNOWN_ADDRESS.contains(response.statusCode())) {
            return Optional.empty();
        }
        throw failure(uri, LIST, response);
    }

    /** A mirror may hand on the addresses of the hub behind it. */
    private Optional<URI> nextPage(URI from, HttpHeaders headers) {
        return headers.firstValue("Link")
                .map(NEXT_PAGE::matcher)
                .filter(Matcher::find)
                .map(link -> link.group(1)
                        .replaceFirst(
                                "^" + Pattern.quote(HubEnvironment.DEFAULT_ENDPOINT + "/"),
                                Matcher.quoteReplacement(requests.hub() + "/")))
                .map(link -> address(from, link, LIST));
    }

    /**
     * What the hub says of one file at the model's revision.
     *
     * @return empty if there is none
     * @throws IOException if the network fails, or the hub for a while
     */
    Optional<FileHeaders> headers(String path, String revision) throws IOException, InterruptedException {
        Optional<String> commit = Optional.empty();
        URI uri = requests.at(file(path, revision));
        for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
            HttpResponse<InputStream> response = requests.send("HEAD", uri, OptionalLong.empty());
            response.body().close();
            int status = response.statusCode();
            boolean redirect = status / 100 == 3;
            FileHeaders found = FileHeaders.of(response.headers(), redirect);
            commit = commit.or(found::commit);
            if (status == OK || (redirect && found.etag().isPresent())) {
                return Optional.of(new FileHeaders(commit, found.size(), found.etag()));
            }
            if (UNKNOWN_ADDRESS.contains(status)) {
                return Optional.empty();
            }
            if (!redirect) {
                throw failure(uri, path, response);
            }
            uri = redirect(uri, path, response);
        }
        throw refused(path + " is redirected more than " + MOST_REDIRECTS + " times");
    }

    private byte[] json(Body body) throws IOException {
        byte[] json = body.readAll(RemoteList.LONGEST);
        if (json.length > RemoteList.LONGEST) {
            throw refused("the hub's list of files is longer than " + Text.bytes(RemoteList.LONGEST));
        }
        return json;
    }

    /**
     * Opens a file at a commit, from byte {@code from} on if the server can.
     *
     * @return its bytes; {@link Body#from} says where they begin
     * @throws IOException if the network fails, or the hub for a while
     * @throws HubException if the hub refuses, or means another file than the list did
     */
    Body file(RemoteFile file, String commit, long from) throws IOException, InterruptedException {
        OptionalLong range = from > 0 ? OptionalLong.of(from) : OptionalLong.empty();
        Body body = open(
                requests.at(file(file.path(), commit)),
                file.path(),
                range,
                headers -> requireSame(file, commit, headers));
        if (body.size().isPresent() && body.size().getAsLong() != file.size()) {
            body.close();
            throw refused(file.path() + " has " + Text.bytes(body.size().getAsLong()) + " where it is stored, and "
                    + Text.bytes(file.size()) + " in the hub's list of files");
        }
        return body;
    }

    private String file(String path, String revision) {
        StringBuilder address = new StringBuilder("/" + model.repository() + "/resolve/" + encode(revision));
        for (String name : path.split("/", -1)) {
            address.append('/').append(encode(name));
        }
        return address.toString();
    }

    private interface HeaderCheck {
        void check(HttpHeaders headers);
    }

    /** Follows redirects to an answer with a body. */
    private Body open(URI first, String what, OptionalLong from, HeaderCheck check)
            throws IOException, InterruptedException {
        HttpResponse<InputStream> response = follow(first, what, from, check);
        int status = response.statusCode();
        if (status == OK || (status == PARTIAL && from.isPresent())) {
            return body(response, what, from);
        }
        response.body().close();
        if (status == RANGE_NOT_SATISFIABLE && from.isPresent()) {
            return open(first, what, OptionalLong.empty(), check);
        }
        throw failure(response.request().uri(), what, response);
    }

    /** Follows redirects to another answer. */
    private HttpResponse<InputStream> follow(URI first, String what, OptionalLong from, HeaderCheck check)
            throws IOException, InterruptedException {
        URI uri = first;
        for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
            HttpResponse<InputStream> response = requests.send("GET", uri, from);
            int status = response.statusCode();
            boolean redirect = status / 100 == 3;
            if (redirect || status == OK || (status == PARTIAL && from.isPresent())) {
                // The hub says them where it redirects to its file server, which does not know them.
                check.check(response.headers());
            }
            if (!redirect) {
                return response;
            }
            response.body().close();
            uri = redirect(uri, what, response);
        }
        throw refused(what + " is redirected more than " + MOST_REDIRECTS + " times");
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
        return address(from, response.headers().firstValue("Location").orElse(""), what);
    }

    /** Where an answer from {@code from} leads. */
    private URI address(URI from, String location, String what) {
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

    /** The hub's own words on a file; a hub that does not say is taken by the hash alone. */
    private void requireSame(RemoteFile file, String commit, HttpHeaders headers) {
        requireSame(file, headers, FileHeaders.COMMIT, commit);
        requireSame(file, headers, FileHeaders.LINKED_SIZE, String.valueOf(file.size()));
        headers.firstValue(FileHeaders.LINKED_ETAG)
                .map(FileHeaders::bare)
                .ifPresent(etag -> requireSame(
                        file, FileHeaders.LINKED_ETAG, etag, file.blob().hex()));
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
        if (!requests.isHub(uri) || status == 408 || status == 429 || status >= 500) {
            return new TryAgainException(
                    (requests.isHub(uri) ? "the hub" : "the file server " + uri.getHost()) + " answers " + status,
                    RetryAfter.of(response.headers()));
        }
        throw refusal(
                what, status, response.headers().firstValue("X-Error-Code").orElse(""));
    }

    private HubException refusal(String what, int status, String code) {
        String page = requests.hub() + "/" + model.repository();
        return refused(
                switch (status) {
                    case 401 ->
                        requests.hasToken()
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
        requests.close();
    }
}
