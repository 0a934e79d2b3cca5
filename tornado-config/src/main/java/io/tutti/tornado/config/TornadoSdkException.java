package io.tutti.tornado.config;

/** A TornadoVM SDK that is there but cannot be used: one line that names the file, the value and what was expected. */
public final class TornadoSdkException extends RuntimeException {
    TornadoSdkException(String message) {
        super(message);
    }

    TornadoSdkException(String message, Throwable cause) {
        super(message, cause);
    }
}
