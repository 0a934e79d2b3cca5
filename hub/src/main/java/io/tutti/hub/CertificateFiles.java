package io.tutti.hub;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Enumeration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Certificates to trust beside the JDK's own: those of the variables that Python's libraries know, and the system's, where a
 * company installs the one of a proxy that intercepts TLS. What cannot be read is kept as a problem: it matters only once a
 * certificate is not trusted.
 */
final class CertificateFiles {
    /** Files and folders of certificates in PEM. */
    static final List<String> VARIABLES = List.of("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE");

    /** Where the distributions of Linux, and the BSDs, have the system's. */
    private static final List<Path> SYSTEM = List.of(
            Path.of("/etc/ssl/cert.pem"),
            Path.of("/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"),
            Path.of("/etc/pki/tls/cert.pem"),
            Path.of("/etc/ssl/certs/ca-certificates.crt"),
            Path.of("/etc/ssl/ca-bundle.pem"));

    private static final Pattern PEM = Pattern.compile(
            "-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----(.*?)-----END (?:X509 |TRUSTED )?CERTIFICATE-----",
            Pattern.DOTALL);

    private final Set<Certificate> certificates = new LinkedHashSet<>();
    private final List<String> problems = new ArrayList<>();

    private CertificateFiles() {}

    /**
     * Reads all of them.
     *
     * @param system Java's {@code os.name}
     */
    static CertificateFiles read(Map<String, String> variables, String system) {
        CertificateFiles files = new CertificateFiles();
        for (String variable : VARIABLES) {
            String value = variables.getOrDefault(variable, "");
            if (!value.isEmpty()) {
                files.readNamed(variable, value);
            }
        }
        files.readSystem(system.toLowerCase(Locale.ROOT));
        return files;
    }

    Collection<Certificate> certificates() {
        return certificates;
    }

    /** What is wrong with the variables, for messages. */
    List<String> problems() {
        return problems;
    }

    private void readNamed(String variable, String value) {
        try {
            Path path = Path.of(value);
            List<Path> files = Files.isDirectory(path) ? list(path) : List.of(path);
            int before = certificates.size();
            for (Path file : files) {
                add(Files.readAllBytes(file));
            }
            if (certificates.size() == before) {
                problems.add(variable + " names " + value + ", which holds no certificate in PEM");
            }
        } catch (IOException | UncheckedIOException | InvalidPathException _) {
            problems.add(variable + " names " + value + ", which cannot be read");
        }
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private void readSystem(String system) {
        if (system.startsWith("windows")) {
            addStore("Windows-ROOT");
        } else if (system.startsWith("mac")) {
            addStore("KeychainStore-ROOT");
            addStore("KeychainStore");
        } else {
            SYSTEM.stream().filter(Files::isReadable).findFirst().ifPresent(file -> {
                try {
                    add(Files.readAllBytes(file));
                } catch (IOException _) {
                    // The JDK's own are left.
                }
            });
        }
    }

    private void addStore(String type) {
        try {
            KeyStore store = KeyStore.getInstance(type);
            store.load(null, null);
            for (Enumeration<String> names = store.aliases(); names.hasMoreElements(); ) {
                String name = names.nextElement();
                if (store.isCertificateEntry(name)) {
                    certificates.add(store.getCertificate(name));
                }
            }
        } catch (IOException | GeneralSecurityException _) {
            // The JDK's own are left.
        }
    }

    /** Takes every certificate of a file in PEM, whatever stands between them, or the one of a file in DER. */
    private void add(byte[] file) {
        Matcher pem = PEM.matcher(new String(file, StandardCharsets.ISO_8859_1));
        boolean found = false;
        while (pem.find()) {
            found = true;
            try {
                addOne(Base64.getMimeDecoder().decode(pem.group(1)));
            } catch (IllegalArgumentException _) {
                // The others of the file may be right.
            }
        }
        if (!found) {
            addOne(file);
        }
    }

    private void addOne(byte[] der) {
        try (InputStream in = new ByteArrayInputStream(der)) {
            certificates.add(CertificateFactory.getInstance("X.509").generateCertificate(in));
        } catch (IOException | CertificateException _) {
            // The others of the file may be right.
        }
    }
}
