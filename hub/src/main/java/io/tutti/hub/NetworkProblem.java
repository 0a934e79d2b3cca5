package io.tutti.hub;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import javax.net.ssl.SSLException;

/** The network's failures in words. The JDK's client leaves several of its exceptions without any. */
final class NetworkProblem {
    /** What to do where the hub cannot be reached. */
    static final String ADVICE = "check the network, HF_ENDPOINT, and whether there is a proxy, which"
            + " TUTTI_JAVA_OPTS=-Dhttps.proxyHost=… names";

    private NetworkProblem() {}

    static String of(IOException failure) {
        if (isUnknownHost(failure)) {
            return "the host is not known";
        }
        return switch (failure) {
            case Attempts.TryAgainException e -> e.getMessage();
            case ConnectException _, HttpConnectTimeoutException _ -> "no connection";
            case HttpTimeoutException _ -> "no answer";
            case SSLException e -> "no secure connection: " + firstLine(e);
            default -> "the connection broke: " + firstLine(failure);
        };
    }

    /** Whether the network, or the name in the address, is not there at all. */
    static boolean isUnknownHost(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnresolvedAddressException || cause instanceof UnknownHostException) {
                return true;
            }
        }
        return false;
    }

    /** Whether nothing that could answer was found. */
    static boolean isUnreachable(IOException failure) {
        return isUnknownHost(failure)
                || failure instanceof ConnectException
                || failure instanceof HttpConnectTimeoutException;
    }

    private static String firstLine(IOException failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank()
                ? failure.getClass().getSimpleName()
                : message.lines().findFirst().orElse("");
    }
}
