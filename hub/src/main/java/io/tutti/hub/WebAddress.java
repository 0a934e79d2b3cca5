package io.tutti.hub;

import java.net.URI;

/** What a request can be sent to. */
final class WebAddress {
    /** What a message shows as accepted for a hub's. */
    static final String FORM = "http:// or https:// with a host, a port from 1 to 65535 if it is not the usual one, and"
            + " perhaps a path";

    private static final int LARGEST_PORT = 65_535;

    private WebAddress() {}

    /** Whether {@code uri} has http or https, a host, and no port that there cannot be. */
    static boolean isOne(URI uri) {
        boolean web = isSecure(uri) || "http".equalsIgnoreCase(uri.getScheme());
        boolean port = uri.getPort() == -1 || (uri.getPort() >= 1 && uri.getPort() <= LARGEST_PORT);
        return web && uri.getHost() != null && port;
    }

    /** Whether {@code uri} has https. */
    static boolean isSecure(URI uri) {
        return "https".equalsIgnoreCase(uri.getScheme());
    }
}
