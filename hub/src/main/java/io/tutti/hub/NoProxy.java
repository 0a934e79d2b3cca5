package io.tutti.hub;

import java.net.InetAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The hosts of {@code NO_PROXY}, separated by commas: {@code example.com} covers that host and its subdomains,
 * {@code .example.com} and {@code *.example.com} cover the subdomains only, an IP address itself, a network such as
 * {@code 10.0.0.0/8} its addresses, and {@code *} everything. A host may have a port, which then has to be the one in the
 * request's address. With a scheme, such as {@code https://example.com}, it covers that scheme of that host, without
 * subdomains. Entries of other forms are ignored.
 */
record NoProxy(List<Predicate<URI>> rules) {
    private static final Pattern ENTRY = Pattern.compile(
            "(?:(?<scheme>[a-z]+)://)?(?:\\[(?<v6>[0-9a-f:.]+)]|(?<host>[\\w.*-]+))(?::(?<port>\\d{1,5}))?");
    private static final Pattern NETWORK = Pattern.compile("(?<address>[0-9a-f:.]+)/(?<bits>\\d{1,3})");
    private static final Pattern V4 = Pattern.compile("\\d{1,3}(?:\\.\\d{1,3}){3}");
    private static final Pattern V6 = Pattern.compile("[0-9a-f.]*:[0-9a-f:.]*:[0-9a-f:.]*");

    static NoProxy of(String value) {
        return new NoProxy(Arrays.stream(value.split(",", -1))
                .map(entry -> entry.strip().toLowerCase(Locale.ROOT))
                .flatMap(NoProxy::rule)
                .toList());
    }

    /** Whether {@code uri}, which has a host, is reached without a proxy. */
    boolean covers(URI uri) {
        return rules.stream().anyMatch(rule -> rule.test(uri));
    }

    private static Stream<Predicate<URI>> rule(String entry) {
        if (entry.equals("*")) {
            return Stream.of(_ -> true);
        }
        Matcher network = NETWORK.matcher(entry);
        if (network.matches()) {
            return network(network.group("address"), Integer.parseInt(network.group("bits"))).stream();
        }
        if (V6.matcher(entry).matches()) {
            return rule("[" + entry + "]");
        }
        Matcher parts = ENTRY.matcher(entry);
        if (!parts.matches()) {
            return Stream.empty();
        }
        String scheme = parts.group("scheme");
        int port = parts.group("port") == null ? -1 : Integer.parseInt(parts.group("port"));
        Predicate<String> host =
                parts.group("v6") != null ? isAddress(parts.group("v6")) : host(parts.group("host"), scheme != null);
        return Stream.of(uri -> (scheme == null || scheme.equals("all") || scheme.equalsIgnoreCase(uri.getScheme()))
                && (port < 0 || port == uri.getPort())
                && host.test(host(uri)));
    }

    private static Predicate<String> host(String name, boolean alone) {
        if (alone || name.equals("localhost") || V4.matcher(name).matches()) {
            return name::equals;
        }
        String domain = name.replaceFirst("^\\*?\\.", "");
        return domain.equals(name)
                ? host -> host.equals(domain) || host.endsWith("." + domain)
                : host -> host.endsWith("." + domain);
    }

    private static Predicate<String> isAddress(String text) {
        Optional<InetAddress> address = address(text);
        return host -> address.isPresent() && address.equals(address(host));
    }

    private static Optional<Predicate<URI>> network(String text, int bits) {
        return address(text)
                .map(InetAddress::getAddress)
                .filter(network -> bits <= 8 * network.length)
                .map(network -> uri -> address(host(uri))
                        .map(InetAddress::getAddress)
                        .filter(host -> isIn(network, bits, host))
                        .isPresent());
    }

    private static boolean isIn(byte[] network, int bits, byte[] host) {
        if (host.length != network.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit++) {
            int mask = 0x80 >> (bit % 8);
            if ((network[bit / 8] & mask) != (host[bit / 8] & mask)) {
                return false;
            }
        }
        return true;
    }

    /** Without asking anybody for a name. */
    private static Optional<InetAddress> address(String text) {
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    private static String host(URI uri) {
        return uri.getHost().toLowerCase(Locale.ROOT).replaceAll("[\\[\\]]", "");
    }
}
