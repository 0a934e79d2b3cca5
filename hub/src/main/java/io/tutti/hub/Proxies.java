package io.tutti.hub;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What requests go through: the proxies of {@code HTTPS_PROXY}, {@code HTTP_PROXY} and {@code ALL_PROXY} but for the hosts of
 * {@code NO_PROXY}, in capitals or not, as huggingface_hub's HTTP client reads them. Java's own properties, such as
 * {@code https.proxyHost}, go first: they are set for Tutti alone.
 */
final class Proxies extends ProxySelector {

    /** A proxy, by the variable that names it. */
    record Named(String variable, String host, int port, Optional<String> authorization) {

        @Override
        public String toString() {
            return "the proxy " + host + ":" + port + " of " + variable;
        }
    }

    private record Setting(String variable, String value) {}

    private static final String SUFFIX = "_proxy";
    private static final String FORM = "http://[user:password@]host[:port]";
    private static final Pattern ADDRESS = Pattern.compile("(?:(?<scheme>[^:/?#@]*)://)?(?:(?<user>[^/?#]*)@)?"
            + "(?:\\[(?<v6>[0-9A-Fa-f:.]+)]|(?<host>[\\w.-]+))(?::(?<port>\\d{1,5}))?/?");

    private static final int DEFAULT_PORT = 80;
    private static final int LARGEST_PORT = 65_535;

    private final Map<String, Setting> settings;
    private final NoProxy noProxy;
    private final ProxySelector java;

    Proxies(Map<String, String> variables) {
        this(variables, ProxySelector.getDefault());
    }

    /** @param java what Java's own properties say */
    Proxies(Map<String, String> variables, ProxySelector java) {
        settings = settings(variables);
        noProxy = NoProxy.of(
                Optional.ofNullable(settings.get("no")).map(Setting::value).orElse(""));
        this.java = java;
    }

    /** By scheme. Names in small letters go first; an empty one takes the other away. */
    private static Map<String, Setting> settings(Map<String, String> variables) {
        Map<String, Setting> settings = new HashMap<>();
        variables.forEach((name, value) -> {
            if (name.toLowerCase(Locale.ROOT).endsWith(SUFFIX) && !value.isEmpty()) {
                settings.put(scheme(name), new Setting(name, value));
            }
        });
        if (variables.containsKey("REQUEST_METHOD")) {
            // A web server's program: whoever asks it for something sets HTTP_PROXY by a header.
            settings.remove("http");
        }
        variables.forEach((name, value) -> {
            if (name.endsWith(SUFFIX) && value.isEmpty()) {
                settings.remove(scheme(name));
            } else if (name.endsWith(SUFFIX)) {
                settings.put(scheme(name), new Setting(name, value));
            }
        });
        return settings;
    }

    private static String scheme(String name) {
        return name.substring(0, name.length() - SUFFIX.length()).toLowerCase(Locale.ROOT);
    }

    /**
     * The proxy that a variable names for {@code uri}, if there is one.
     *
     * @throws HubException if it cannot be used
     */
    Optional<Named> of(URI uri) {
        boolean javas = java.select(uri).stream().anyMatch(proxy -> proxy.type() != Proxy.Type.DIRECT);
        if (javas || noProxy.covers(uri)) {
            return Optional.empty();
        }
        Setting own = settings.get(uri.getScheme().toLowerCase(Locale.ROOT));
        return Optional.ofNullable(own != null ? own : settings.get("all")).map(Proxies::named);
    }

    private static Named named(Setting setting) {
        Matcher address = ADDRESS.matcher(setting.value.strip());
        if (!address.matches()) {
            throw refused(setting);
        }
        String scheme = address.group("scheme");
        int port = address.group("port") == null ? DEFAULT_PORT : Integer.parseInt(address.group("port"));
        if ((scheme != null && !scheme.equalsIgnoreCase("http")) || port < 1 || port > LARGEST_PORT) {
            throw refused(setting);
        }
        String v6 = address.group("v6");
        try {
            return new Named(
                    setting.variable,
                    v6 != null ? v6 : address.group("host"),
                    port,
                    Optional.ofNullable(address.group("user")).map(Proxies::basic));
        } catch (IllegalArgumentException _) {
            throw refused(setting); // A % that is none.
        }
    }

    private static String basic(String userInfo) {
        String[] parts = userInfo.split(":", 2);
        String user = decode(parts[0]);
        String password = parts.length < 2 ? "" : decode(parts[1]);
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    private static String decode(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** What stands before an @ may be a password. */
    private static HubException refused(Setting setting) {
        String value = setting.value.indexOf('@') >= 0 ? "no proxy's address" : Text.quote(setting.value);
        return new HubException(setting.variable + " is " + value + "; accepted: " + FORM
                + ", or NO_PROXY with the hosts that are reached without one");
    }

    @Override
    public List<Proxy> select(URI uri) {
        return of(uri).map(proxy -> List.of(new Proxy(Proxy.Type.HTTP, new InetSocketAddress(proxy.host, proxy.port))))
                .orElseGet(() -> java.select(uri));
    }

    @Override
    public void connectFailed(URI uri, SocketAddress proxy, IOException failure) {
        // The request's own failure says it.
    }
}
