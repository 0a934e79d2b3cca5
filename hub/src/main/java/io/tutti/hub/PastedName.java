package io.tutti.hub;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A model's name as people have it at hand: {@code owner/name[@revision]}, or what they copy from the hub's pages and from
 * their address bar. Addresses mean what they mean to huggingface_hub.
 *
 * @param model what is meant
 * @param revisionGiven whether the text says which revision
 */
public record PastedName(ModelName model, boolean revisionGiven) {
    /** What a message shows as accepted. */
    public static final String FORM = ModelName.FORM + " or the address of a model's page";

    private static final Pattern ADDRESS = Pattern.compile(
            "(?:(?<scheme>[A-Za-z][A-Za-z0-9+.-]*)://)?(?<authority>[^/?#]*)(?<path>[^?#]*).*", Pattern.DOTALL);
    private static final String SSH = "git@hf.co:";
    private static final Set<String> HOSTS = Set.of("huggingface.co", "hf.co");
    /** Pages of a repository whose address goes on with a revision, and perhaps with a file. */
    private static final Set<String> PAGES_OF_A_REVISION =
            Set.of("tree", "blob", "resolve", "raw", "blame", "commits", "commit", "edit");

    private static final Set<String> OTHER_PAGES = Set.of("discussions", "settings");
    private static final Map<String, String> OTHER_KINDS =
            Map.of("datasets", "a data set", "spaces", "a space", "kernels", "a kernel", "buckets", "a bucket");
    /** Revisions that have slashes of their own. */
    private static final Pattern REFS = Pattern.compile("(refs/(?:convert/[\\w.-]+|pr/\\d+))(?:/.*)?");

    /**
     * Reads {@code text}.
     *
     * @return empty if it has none of these forms
     * @throws HubException if it is an address, and none of a model at the hub
     */
    public static Optional<PastedName> parse(String text, HubEnvironment environment) {
        return new Reader(text.strip(), environment).read();
    }

    private record Reader(String text, HubEnvironment environment) {

        Optional<PastedName> read() {
            if (text.startsWith(SSH)) {
                return Optional.of(repository(segments(text.substring(SSH.length()))));
            }
            Matcher address = ADDRESS.matcher(text);
            if (!address.matches()) {
                throw new AssertionError("it takes every text");
            }
            String scheme = address.group("scheme");
            String authority = address.group("authority").toLowerCase(Locale.ROOT);
            if (scheme == null && !isHub(authority)) {
                return plain(text.replaceFirst("/+$", ""));
            }
            if ("hf".equalsIgnoreCase(scheme)) {
                return Optional.of(repository(segments(address.group("authority") + address.group("path"))));
            }
            if (authority.indexOf('@') >= 0) {
                // What is before it may be a password.
                throw new HubException("the model's address has an @, as after a user and a password; accepted: it"
                        + " without them, and a token in HF_TOKEN");
            }
            boolean web = scheme == null || "https".equalsIgnoreCase(scheme) || "http".equalsIgnoreCase(scheme);
            if (!web || !isHub(authority)) {
                throw refused("is no address of the hub");
            }
            return Optional.of(page(segments(withoutPrefix(authority, address.group("path")))));
        }

        /** Whichever the port: what is copied is often shown by another one than it is asked at. */
        private boolean isHub(String authority) {
            return HOSTS.contains(host(authority)) || isOwn(authority);
        }

        private boolean isOwn(String authority) {
            return host(authority).equals(host(URI.create(endpoint()).getAuthority()));
        }

        private static String host(String authority) {
            return authority.replaceFirst(":\\d+$", "").toLowerCase(Locale.ROOT);
        }

        /** The hub's address; one that is not right is told when something is fetched. */
        private String endpoint() {
            try {
                return environment.endpoint().toString();
            } catch (HubException _) {
                return HubEnvironment.DEFAULT_ENDPOINT;
            }
        }

        private String withoutPrefix(String authority, String path) {
            String prefix = URI.create(endpoint()).getPath() + "/";
            return isOwn(authority) && path.startsWith(prefix) ? path.substring(prefix.length()) : path;
        }

        private static List<String> segments(String path) {
            return Arrays.stream(path.split("/", -1))
                    .filter(segment -> !segment.isEmpty())
                    .toList();
        }

        /** {@code [models/]owner/name[/tree/revision[/file]]}. */
        private PastedName page(List<String> all) {
            List<String> segments = withoutKind(all);
            if (segments.size() > 2 && PAGES_OF_A_REVISION.contains(segments.get(2))) {
                List<String> rest = segments.subList(3, segments.size());
                return model(segments, rest.isEmpty() ? "" : "@" + revision(rest));
            }
            if (segments.size() > 2 && !OTHER_PAGES.contains(segments.get(2))) {
                throw refused("has " + Text.quote("/" + segments.get(2)) + " after the model's name");
            }
            return model(segments, "");
        }

        /** {@code [models/]owner/name[@revision][/file]}. */
        private PastedName repository(List<String> all) {
            List<String> segments = withoutKind(all);
            int at = segments.get(1).indexOf('@');
            if (at < 0) {
                return model(segments, "");
            }
            String name = segments.get(1);
            String rest = String.join("/", segments.subList(1, segments.size())).substring(at + 1);
            return model(List.of(segments.getFirst(), name.substring(0, at)), "@" + revision(segments(rest)));
        }

        /** At least an owner and a name. */
        private List<String> withoutKind(List<String> segments) {
            String first = segments.isEmpty() ? "" : segments.getFirst();
            if (OTHER_KINDS.containsKey(first)) {
                throw refused("names " + OTHER_KINDS.get(first) + ", not a model");
            }
            List<String> rest = first.equals("models") ? segments.subList(1, segments.size()) : segments;
            if (rest.size() < 2) {
                throw refused("names no model");
            }
            return rest;
        }

        /** The revision at the beginning of these, which may go on with a file. */
        private static String revision(List<String> segments) {
            Matcher refs = REFS.matcher(decode(String.join("/", segments)));
            return refs.matches() ? refs.group(1) : decode(segments.isEmpty() ? "" : segments.getFirst());
        }

        private PastedName model(List<String> segments, String revision) {
            return plain(segments.get(0) + "/" + segments.get(1).replaceFirst("\\.git$", "") + revision)
                    .orElseThrow(() -> refused("names no model"));
        }

        private static Optional<PastedName> plain(String name) {
            return ModelName.parse(name).map(model -> new PastedName(model, name.indexOf('@') >= 0));
        }

        private static String decode(String text) {
            try {
                return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
            } catch (IllegalArgumentException _) {
                return text; // No revision has a % in it.
            }
        }

        private HubException refused(String problem) {
            return new HubException(Text.quote(text) + " " + problem + "; accepted: " + ModelName.FORM + ", or "
                    + endpoint() + "/owner/name, with /tree/revision if need be");
        }
    }
}
