package io.tutti.hub;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Downloads through a proxy, as plain requests and through a tunnel. */
class ProxyPullTest extends WithHub {
    private LoopbackProxy proxy;

    @AfterEach
    void stopTheProxy() {
        proxy.close();
    }

    @Test
    void everythingGoesThroughTheProxyThatTheEnvironmentNames() {
        proxy = new LoopbackProxy("");
        pulls.variables.put("HTTP_PROXY", proxy.address(""));
        pulls.variables.put("HF_ENDPOINT", hub.endpoint().replace("127.0.0.1", "hub.invalid"));
        proxy.resolve("hub.invalid");
        pulls.pull();
        pulls.requireWholeModel();
        assertThat(proxy.targets).hasSize(hub.requests.size()).anyMatch(target -> target.contains("hub.invalid"));
    }

    @Test
    void hostsOfNoProxyAreReachedWithoutOne() {
        proxy = new LoopbackProxy("");
        pulls.variables.put("HTTP_PROXY", proxy.address(""));
        pulls.variables.put("NO_PROXY", "127.0.0.0/8");
        pulls.pull();
        assertThat(proxy.targets).isEmpty();
    }

    @Test
    void thePasswordGoesToTheProxyAndNoFurther() {
        proxy = new LoopbackProxy("Basic dXNlcjpwYUBzcw==");
        pulls.variables.put("HTTP_PROXY", proxy.address("user:pa%40ss@"));
        pulls.pull();
        pulls.requireWholeModel();
        assertThat(hub.requests)
                .isNotEmpty()
                .allSatisfy(request -> assertThat(request.headers()).doesNotContainKey("proxy-authorization"));
    }

    @ParameterizedTest
    @CsvSource({"http, ''", "http, user:wrong@", "https, ''", "https, user:wrong@"})
    void aProxyThatWantsAPasswordIsToldWithWhatToSet(String scheme, String user) {
        proxy = new LoopbackProxy("Basic dXNlcjpwYUBzcw==");
        pulls.variables.put("ALL_PROXY", proxy.address(user));
        pulls.variables.put("HF_ENDPOINT", scheme + "://hub.invalid");
        assertThat(pulls.refusal())
                .contains(
                        "the proxy 127.0.0.1:",
                        "of ALL_PROXY wants a user and a password",
                        "HTTPS_PROXY=http://user:password@")
                .doesNotContain("wrong@");
        assertThat(proxy.targets).hasSize(1);
    }

    @Test
    void aProxyThatDoesNotLetTheHubThroughIsToldAtOnce() {
        proxy = new LoopbackProxy("");
        proxy.refuse(403);
        pulls.variables.put("HTTPS_PROXY", proxy.address(""));
        pulls.variables.put("HF_ENDPOINT", "https://hub.invalid");
        assertThat(pulls.refusal())
                .startsWith("owner/name at https://hub.invalid through the proxy 127.0.0.1:")
                .contains("the proxy answers 403; check HTTPS_PROXY");
        assertThat(proxy.targets).containsExactly("hub.invalid:443");
    }

    @Test
    void aProxyThatIsNotThereIsNamed() {
        proxy = new LoopbackProxy("");
        String address = proxy.address("user:hf_secret@");
        proxy.close();
        pulls.variables.put("HTTP_PROXY", address);
        assertThat(pulls.refusal())
                .contains(hub.endpoint() + " through the proxy 127.0.0.1:", "of HTTP_PROXY: no connection")
                .doesNotContain("hf_secret");
    }

    @Test
    void aProxyThatCannotBeUsedIsRefusedAtOnce() {
        proxy = new LoopbackProxy("");
        pulls.variables.put("HTTP_PROXY", "socks5://127.0.0.1:1080");
        assertThat(pulls.refusal()).startsWith("HTTP_PROXY is \"socks5://127.0.0.1:1080\"; accepted: ");
        assertThat(hub.requests).isEmpty();
    }
}
