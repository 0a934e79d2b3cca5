package io.tutti.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProxiesTest {
    private static final URI HUB = URI.create("https://huggingface.co/x");
    private static final ProxySelector NONE = ProxySelector.of(null);

    private static Proxies proxies(Map<String, String> variables) {
        return new Proxies(variables, NONE);
    }

    @Test
    void theEnvironmentMeansWhatItMeansToHuggingfaceHubsClient() throws IOException {
        JsonNode vectors = PastedNameTest.vectors();
        int through = 0;
        for (JsonNode vector : vectors.get("proxies")) {
            Map<String, String> variables = new HashMap<>();
            vector.get("environment")
                    .properties()
                    .forEach(entry ->
                            variables.put(entry.getKey(), entry.getValue().textValue()));
            List<String> found = new ArrayList<>();
            List<String> right = new ArrayList<>();
            for (int i = 0; i < vectors.get("addresses").size(); i++) {
                found.add(proxies(variables)
                        .of(URI.create(vectors.get("addresses").get(i).textValue()))
                        .map(proxy -> (proxy.host() + ":" + proxy.port() + " "
                                        + proxy.authorization().orElse(""))
                                .strip())
                        .orElse(null));
                right.add(vector.get("through").get(i).textValue());
                through += right.getLast() == null ? 0 : 1;
            }
            assertThat(found).as(variables.toString()).isEqualTo(right);
        }
        assertThat(through).isGreaterThan(150);
    }

    @Test
    void javasOwnPropertiesGoFirst() {
        ProxySelector java = ProxySelector.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        Proxies proxies = new Proxies(Map.of("HTTPS_PROXY", "http://user:password@secure:2"), java);
        assertThat(proxies.of(HUB)).isEmpty();
        assertThat(proxies.select(HUB))
                .containsExactly(
                        new Proxy(Proxy.Type.HTTP, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://secure:1",
                "socks5://secure:1",
                "secure:port",
                "secure:0",
                "secure:70000",
                "http://",
                "http://secure/path",
                "se cure",
                "://secure"
            })
    void aProxyThatCannotBeUsedIsRefusedInOneLine(String value) {
        assertThatThrownBy(() -> proxies(Map.of("https_proxy", value)).of(HUB))
                .isInstanceOf(HubException.class)
                .hasMessage("https_proxy is \"" + value
                        + "\"; accepted: http://[user:password@]host[:port], or NO_PROXY with"
                        + " the hosts that are reached without one");
        assertThat(proxies(Map.of("https_proxy", value)).of(URI.create("http://huggingface.co")))
                .isEmpty();
        assertThat(proxies(Map.of("https_proxy", value, "NO_PROXY", "*")).of(HUB))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"http://user:hf_secret@secure:port", "socks5://hf_secret@secure", "http://hf_secret%ZZ@secure"})
    void aPasswordIsNotShown(String value) {
        assertThatThrownBy(() -> proxies(Map.of("ALL_PROXY", value)).of(HUB))
                .isInstanceOf(HubException.class)
                .hasMessageStartingWith("ALL_PROXY is no proxy's address; accepted: ")
                .hasMessageNotContaining("hf_secret");
    }
}
