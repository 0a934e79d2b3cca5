package io.tutti.hub;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/** The network's failures in words. The JDK's client leaves several of its exceptions without any. */
final class NetworkProblem {
    /** What to do where the hub cannot be reached. */
    static final String ADVICE =
            "check the network, HF_ENDPOINT, and whether there is a proxy, which HTTPS_PROXY names";

    private static final String CERTIFICATES =
            "if a company's proxy intercepts TLS, set SSL_CERT_FILE to a file with its certificate in PEM";
    /** How the JDK's client tells what a proxy answers to its request for a connection. */
    private static final Pattern TUNNEL = Pattern.compile("Tunnel failed, got: (\\d{3})");

    /** How the JDK tells of a server that answers in something else than TLS. */
    private static final Pattern NO_TLS = Pattern.compile("(?i)unrecognized SSL message");

    private NetworkProblem() {}

    static String of(IOException failure) {
        if (isUnknownHost(failure)) {
            return "the host is not known";
        }
        return switch (failure) {
            case Attempts.TryAgainException e -> e.getMessage();
            case ConnectException _, HttpConnectTimeoutException _ -> "no connection";
            case HttpTimeoutException _ -> "no answer";
            case SSLException e ->
                cause(e, CertificateException.class)
                        .map(certificate -> "the server's certificate is not trusted: " + words(certificate))
                        .orElseGet(() -> "no secure connection: " + words(e));
            default ->
                tunnel(failure)
                        .map(status -> "the proxy answers " + status)
                        .orElseGet(() -> "the connection broke: " + words(failure));
        };
    }

    /** Whether the network, or the name in the address, is not there at all. */
    static boolean isUnknownHost(IOException failure) {
        return cause(failure, UnresolvedAddressException.class).isPresent()
                || cause(failure, UnknownHostException.class).isPresent();
    }

    /** Whether no connection to the host came about. */
    static boolean isUnreachable(IOException failure) {
        return isUnknownHost(failure)
                || failure instanceof ConnectException
                || failure instanceof HttpConnectTimeoutException;
    }

    /** What to do about a failure that would repeat; empty if another attempt may succeed. */
    static Optional<String> remedy(IOException failure) {
        if (failure instanceof SSLException
                && cause(failure, CertificateException.class).isPresent()) {
            return Optional.of(CERTIFICATES);
        }
        boolean cut = cause(failure, EOFException.class).isPresent()
                || cause(failure, SocketException.class).isPresent();
        boolean noTls = failure instanceof SSLException
                && NO_TLS.matcher(words(failure)).find();
        if (noTls || (failure instanceof SSLHandshakeException && !cut)) {
            return Optional.of(ADVICE);
        }
        return tunnel(failure)
                .filter(status -> status.startsWith("4"))
                .map(_ -> "check HTTPS_PROXY and what the proxy lets through, or name the host in NO_PROXY");
    }

    private static Optional<String> tunnel(IOException failure) {
        Matcher matcher = TUNNEL.matcher(words(failure));
        return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
    }

    private static <E extends Throwable> Optional<E> cause(Throwable failure, Class<E> type) {
        return Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst();
    }

    private static String words(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank()
                ? failure.getClass().getSimpleName()
                : message.lines().findFirst().orElse("").replaceAll("[\\w.$]+Exception: ", "");
    }
}
