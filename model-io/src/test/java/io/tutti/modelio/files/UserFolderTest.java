package io.tutti.modelio.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserFolderTest {
    @TempDir
    private Path root;

    @Test
    void everySystemHasItsPlace() {
        String home = root.toString();
        assertThat(UserFolder.CACHE.path(Map.of(), "Linux", home)).contains(root.resolve(".cache/tutti"));
        assertThat(UserFolder.CACHE.path(Map.of(), "Mac OS X", home)).contains(root.resolve("Library/Caches/tutti"));
        assertThat(UserFolder.CACHE.path(
                        Map.of("LOCALAPPDATA", root.resolve("local").toString()), "Windows 11", home))
                .contains(root.resolve("local/tutti"));
        assertThat(UserFolder.CACHE.path(Map.of(), "Windows 11", home)).isEmpty();
    }

    @Test
    void stateHasAPlaceOfItsOwn() {
        String home = root.toString();
        assertThat(UserFolder.STATE.path(Map.of(), "Linux", home)).contains(root.resolve(".local/state/tutti"));
        assertThat(UserFolder.STATE.path(Map.of(), "Mac OS X", home))
                .contains(root.resolve("Library/Application Support/tutti"));
        assertThat(UserFolder.STATE.path(Map.of("XDG_STATE_HOME", home, "XDG_CACHE_HOME", "/x"), "Linux", home))
                .contains(root.resolve("tutti"));
    }

    @Test
    void xdgCacheHomeGoesFirstIfItIsAbsolute() {
        String xdg = root.resolve("xdg").toString();
        for (String system : new String[] {"Linux", "Mac OS X", "Windows 11"}) {
            assertThat(UserFolder.CACHE.path(Map.of("XDG_CACHE_HOME", xdg), system, ""))
                    .contains(root.resolve("xdg/tutti"));
        }
        for (String bad : new String[] {"", "cache", "\0"}) {
            assertThat(UserFolder.CACHE.path(Map.of("XDG_CACHE_HOME", bad), "Linux", root.toString()))
                    .contains(root.resolve(".cache/tutti"));
        }
    }

    @Test
    void withoutAHomeThereIsNoPlace() {
        assertThat(UserFolder.CACHE.path(Map.of(), "Linux", "?")).isEmpty();
        assertThat(UserFolder.CACHE.path(Map.of(), "Linux", null)).isEmpty();
    }
}
