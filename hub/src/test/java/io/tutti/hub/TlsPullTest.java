package io.tutti.hub;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Downloads through a proxy of a company that intercepts TLS. */
class TlsPullTest extends WithHub {
    @TempDir
    private static Path keys;

    private LoopbackTls tls;
    private LoopbackProxy proxy;

    @AfterEach
    void stopTls() {
        if (tls != null) {
            tls.close();
        }
        if (proxy != null) {
            proxy.close();
        }
    }

    private void serve(String name) {
        hub.put("model.safetensors", LoopbackHub.pattern(300_000, 2), false); // No redirect leads from https to http.
        tls = new LoopbackTls(keys, name, hub);
        pulls.variables.put("HF_ENDPOINT", tls.endpoint());
    }

    @ParameterizedTest
    @ValueSource(strings = {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"})
    void theCertificateOfTheVariableIsTrusted(String variable) {
        serve("ip:127.0.0.1");
        pulls.variables.put(variable, tls.certificate().toString());
        pulls.pull();
        pulls.requireWholeModel();
    }

    @Test
    void everyCertificateOfAFolderIsTrusted() throws IOException {
        serve("ip:127.0.0.1");
        Path certificates = Files.createDirectory(folder.resolve("certificates"));
        Files.writeString(certificates.resolve("README"), "They are in PEM.");
        Files.copy(tls.certificate(), certificates.resolve("0a1b2c3d.0"));
        pulls.variables.put("SSL_CERT_DIR", certificates.toString());
        pulls.pull();
        pulls.requireWholeModel();
    }

    @Test
    void aBundleMayHaveOtherThingsInIt() throws IOException {
        serve("ip:127.0.0.1");
        Path bundle = folder.resolve("bundle.pem");
        Files.writeString(
                bundle,
                "\uFEFF# Ours\r\n-----BEGIN CERTIFICATE-----\r\nAAAA\r\n-----END CERTIFICATE-----\r\n\r\n"
                        + Files.readString(tls.certificate()).replace("\r", "").replace("\n", "\r\n"));
        pulls.variables.put("SSL_CERT_FILE", bundle.toString());
        pulls.pull();
        pulls.requireWholeModel();
    }

    @Test
    void aCertificateInDerIsTrustedToo() throws Exception {
        serve("ip:127.0.0.1");
        byte[] der = CertificateFactory.getInstance("X.509")
                .generateCertificate(Files.newInputStream(tls.certificate()))
                .getEncoded();
        pulls.variables.put(
                "SSL_CERT_FILE", Files.write(folder.resolve("company.der"), der).toString());
        pulls.pull();
        pulls.requireWholeModel();
    }

    @Test
    void aCertificateThatNobodyKnowsIsRefusedAtOnceWithWhatToSet() {
        serve("ip:127.0.0.1");
        assertThat(pulls.refusal())
                .startsWith("owner/name at " + tls.endpoint() + ": the server's certificate is not trusted: ")
                .contains(
                        "; if a company's proxy intercepts TLS, set SSL_CERT_FILE to a file with its certificate in PEM");
        assertThat(pulls.pauses).isEmpty();
        assertThat(tls.requests).hasValue(0);
    }

    @Test
    void aVariableThatNamesNoCertificateIsToldWhenOneIsMissing() throws IOException {
        serve("ip:127.0.0.1");
        Path none = folder.resolve("none.pem");
        pulls.variables.put("SSL_CERT_FILE", none.toString());
        assertThat(pulls.refusal()).contains("not trusted: SSL_CERT_FILE names " + none + ", which cannot be read; ");
        Files.writeString(none, "nothing");
        assertThat(pulls.refusal()).contains("SSL_CERT_FILE names " + none + ", which holds no certificate in PEM");
        pulls.variables.put("HF_ENDPOINT", hub.endpoint());
        pulls.pull();
    }

    @Test
    void theHostsNameIsCheckedOfTrustedCertificatesToo() {
        serve("dns:elsewhere.invalid");
        pulls.variables.put("SSL_CERT_FILE", tls.certificate().toString());
        assertThat(pulls.refusal()).contains("certificate is not trusted: ", "127.0.0.1");
        assertThat(tls.requests).hasValue(0);
    }

    @Test
    void aServerWithoutTlsIsToldAtOnce() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> answerEach(server));
            pulls.variables.put("HF_ENDPOINT", "https://127.0.0.1:" + server.getLocalPort());
            assertThat(pulls.refusal()).contains(": no secure connection: ", "; check the network, HF_ENDPOINT");
        }
        assertThat(pulls.pauses).isEmpty();
    }

    private static void answerEach(ServerSocket server) {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                socket.getOutputStream().write("HTTP/1.1 400 No\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                socket.getInputStream().readAllBytes();
            } catch (IOException _) {
                // The client or the test has ended.
            }
        }
    }

    @Test
    void aModelThatIsAllThereIsTakenThoughTheHubIsNotTrusted() {
        pulls.pull();
        serve("ip:127.0.0.1");
        assertThat(pulls.pull().unasked()).get().asString().contains("certificate is not trusted");
    }

    @Test
    void aTunnelThroughAProxyLeadsToTheHub() {
        serve("ip:127.0.0.1");
        proxy = new LoopbackProxy("Basic dXNlcjpwYUBzcw==");
        pulls.variables.put("HTTPS_PROXY", proxy.address("user:pa%40ss@"));
        pulls.variables.put("SSL_CERT_FILE", tls.certificate().toString());
        pulls.pull();
        pulls.requireWholeModel();
        assertThat(proxy.targets).isNotEmpty().allMatch(target -> target.startsWith("127.0.0.1:"));
        assertThat(hub.requests)
                .allSatisfy(request -> assertThat(request.headers()).doesNotContainKey("proxy-authorization"));
    }

    @Test
    void everySystemHasCertificatesOrNoneWithoutAnError() {
        for (String system : new String[] {"Linux", "Windows 11", "Mac OS X"}) {
            assertThat(CertificateFiles.read(Map.of(), system).problems()).isEmpty();
        }
        assertThat(CertificateFiles.read(Map.of("SSL_CERT_FILE", "\0"), "Linux").problems())
                .singleElement()
                .asString()
                .contains("cannot be read");
    }
}
