package io.tutti.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** What {@code --version} says. */
final class Version {

    private static final String RESOURCE = "version.properties";

    private Version() {}

    static String text() {
        Properties properties = new Properties();
        try (InputStream in = Version.class.getResourceAsStream(RESOURCE)) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return "tutti " + properties.getProperty("version", "(not packaged)") + ", Java " + Runtime.version();
    }
}
