package io.tutti.modelio.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserFolderTest {
    @TempDir
    private Path root;

    private UserHome home(String system, String path) {
        return new UserHome(Map.of(), system, path, root.resolve("none"));
    }

    private Optional<Path> cache(Map<String, String> environment, String system) {
        return UserFolder.CACHE.path(environment, home(system, root.toString()));
    }

    @Test
    void everySystemHasItsPlace() {
        assertThat(cache(Map.of(), "Linux")).contains(root.resolve(".cache/tutti"));
        assertThat(cache(Map.of(), "Mac OS X")).contains(root.resolve("Library/Caches/tutti"));
        assertThat(cache(Map.of("LOCALAPPDATA", root.resolve("local").toString()), "Windows 11"))
                .contains(root.resolve("local/tutti"));
        assertThat(cache(Map.of(), "Windows 11")).contains(root.resolve("AppData/Local/tutti"));
    }

    @Test
    void stateHasAPlaceOfItsOwn() {
        String path = root.toString();
        assertThat(UserFolder.STATE.path(Map.of(), home("Linux", path))).contains(root.resolve(".local/state/tutti"));
        assertThat(UserFolder.STATE.path(Map.of(), home("Mac OS X", path)))
                .contains(root.resolve("Library/Application Support/tutti"));
        assertThat(UserFolder.STATE.path(Map.of("XDG_STATE_HOME", path, "XDG_CACHE_HOME", "/x"), home("Linux", path)))
                .contains(root.resolve("tutti"));
    }

    @Test
    void xdgCacheHomeGoesFirstIfItIsAbsolute() {
        String xdg = root.resolve("xdg").toString();
        for (String system : new String[] {"Linux", "Mac OS X", "Windows 11"}) {
            assertThat(UserFolder.CACHE.path(Map.of("XDG_CACHE_HOME", xdg), home(system, "")))
                    .contains(root.resolve("xdg/tutti"));
        }
        for (String bad : new String[] {"", "cache", "\0"}) {
            assertThat(cache(Map.of("XDG_CACHE_HOME", bad), "Linux")).contains(root.resolve(".cache/tutti"));
        }
    }

    @Test
    void withoutAHomeAndATemporaryFolderThereIsNoPlace() {
        assertThat(UserFolder.CACHE.path(Map.of(), home("Linux", "?"))).isEmpty();
        assertThat(UserFolder.CACHE.path(Map.of(), home("Linux", null))).isEmpty();
    }
}
