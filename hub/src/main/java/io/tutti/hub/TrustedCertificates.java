package io.tutti.hub;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts what the JDK trusts, and what {@link CertificateFiles} finds. Those files are read only when the JDK does not trust
 * a server. Both check the host's name.
 */
final class TrustedCertificates extends X509ExtendedTrustManager {

    private interface Check {
        void by(X509ExtendedTrustManager manager) throws CertificateException;
    }

    private final Map<String, String> variables;
    private final String system;
    private final X509ExtendedTrustManager jdk = manager((KeyStore) null);
    private X509ExtendedTrustManager more;
    private String problems = "";

    private TrustedCertificates(Map<String, String> variables, String system) {
        this.variables = variables;
        this.system = system;
    }

    /** A context for connections that trust the JDK's certificates and those that {@code variables} name. */
    static SSLContext context(Map<String, String> variables) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            TrustManager trusted = new TrustedCertificates(variables, System.getProperty("os.name"));
            context.init(null, new TrustManager[] {trusted}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new AssertionError("every Java has it", e);
        }
    }

    private static X509ExtendedTrustManager manager(KeyStore store) {
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return Stream.of(factory.getTrustManagers())
                    .filter(X509ExtendedTrustManager.class::isInstance)
                    .map(X509ExtendedTrustManager.class::cast)
                    .findFirst()
                    .orElseThrow();
        } catch (GeneralSecurityException e) {
            throw new AssertionError("every Java has it", e);
        }
    }

    private static X509ExtendedTrustManager manager(Collection<Certificate> certificates) {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (Certificate certificate : certificates) {
                store.setCertificateEntry(String.valueOf(number++), certificate);
            }
            return manager(store);
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError("it is in memory", e);
        }
    }

    private synchronized X509ExtendedTrustManager more() {
        if (more == null) {
            CertificateFiles files = CertificateFiles.read(variables, system);
            problems = String.join(", ", files.problems());
            more = manager(files.certificates());
        }
        return more;
    }

    private void check(Check check) throws CertificateException {
        try {
            check.by(jdk);
        } catch (CertificateException first) {
            X509ExtendedTrustManager others = more();
            try {
                check.by(others);
            } catch (CertificateException e) {
                throw problems.isEmpty() ? e : new CertificateException(problems, e);
            }
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        check(manager -> manager.checkServerTrusted(chain, authType, engine));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        check(manager -> manager.checkServerTrusted(chain, authType, socket));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        check(manager -> manager.checkServerTrusted(chain, authType));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        jdk.checkClientTrusted(chain, authType, engine);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        jdk.checkClientTrusted(chain, authType, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        jdk.checkClientTrusted(chain, authType);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return jdk.getAcceptedIssuers();
    }
}
