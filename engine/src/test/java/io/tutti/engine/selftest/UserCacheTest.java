package io.tutti.engine.selftest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserCacheTest {
    @TempDir
    private Path root;

    @Test
    void everySystemHasItsPlace() {
        String home = root.toString();
        assertThat(UserCache.folder(Map.of(), "Linux", home)).contains(root.resolve(".cache/tutti"));
        assertThat(UserCache.folder(Map.of(), "Mac OS X", home)).contains(root.resolve("Library/Caches/tutti"));
        assertThat(UserCache.folder(Map.of("LOCALAPPDATA", root.resolve("local").toString()), "Windows 11", home))
                .contains(root.resolve("local/tutti"));
        assertThat(UserCache.folder(Map.of(), "Windows 11", home)).isEmpty();
    }

    @Test
    void xdgCacheHomeGoesFirstIfItIsAbsolute() {
        String xdg = root.resolve("xdg").toString();
        for (String system : new String[] {"Linux", "Mac OS X", "Windows 11"}) {
            assertThat(UserCache.folder(Map.of("XDG_CACHE_HOME", xdg), system, ""))
                    .contains(root.resolve("xdg/tutti"));
        }
        for (String bad : new String[] {"", "cache", "\0"}) {
            assertThat(UserCache.folder(Map.of("XDG_CACHE_HOME", bad), "Linux", root.toString()))
                    .contains(root.resolve(".cache/tutti"));
        }
    }

    @Test
    void withoutAHomeThereIsNoPlace() {
        assertThat(UserCache.folder(Map.of(), "Linux", "?")).isEmpty();
        assertThat(UserCache.folder(Map.of(), "Linux", null)).isEmpty();
    }
}
