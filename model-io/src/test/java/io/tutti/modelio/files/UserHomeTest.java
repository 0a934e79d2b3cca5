package io.tutti.modelio.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The home of containers and clusters, where {@code $HOME} and the list of accounts say different things, or nothing. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "a home is another one there")
class UserHomeTest {
    @TempDir
    private Path root;

    private Path temporary;

    @BeforeEach
    void makeATemporaryFolder() throws IOException {
        temporary = Files.createDirectory(root.resolve("tmp"));
    }

    private UserHome home(String variable, String account) {
        Map<String, String> environment = new HashMap<>();
        if (variable != null) {
            environment.put("HOME", variable);
        }
        return new UserHome(environment, "Linux", account, temporary);
    }

    private Path userFolder() throws IOException {
        int user = (int) Files.getAttribute(root, "unix:uid");
        return temporary.resolve("tutti-" + Integer.toUnsignedString(user));
    }

    @Test
    void theVariableGoesBeforeTheAccounts() {
        Path variable = root.resolve("variable");
        assertThat(home(variable.toString(), "/account").path()).contains(variable);
        assertThat(home(variable.toString(), "/account").toWrite("a")).contains(variable.resolve("a"));
        assertThat(home(null, "/account").path()).contains(Path.of("/account"));
        assertThat(home("", "/account").path()).contains(Path.of("/account"));
        assertThat(home("relative", "/account").path()).contains(Path.of("/account"));
    }

    @Test
    void onWindowsTheAccountsGoFirst() {
        UserHome windows = new UserHome(Map.of("HOME", "/variable"), "Windows 11", "/account", temporary);
        assertThat(windows.path()).contains(Path.of("/account"));
    }

    /** On Windows a home's drive may be missing. A relative path stands for that: nothing above it exists either. */
    @Test
    void noFileFitsBelowWhatDoesNotExistAtAll() {
        assertThat(UserHome.takesFiles(Path.of("no-such-drive", "account"))).isFalse();
        assertThat(UserHome.takesFiles(root.resolve("new/folders"))).isTrue();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"?", "/", ""})
    void withoutAHomeThereIsAFolderForThisUserAloneInTheTemporaryOne(String account) throws IOException {
        for (String variable : new String[] {null, "", "/"}) {
            UserHome home = home(variable, account);
            Path folder = home.toWrite(".cache/nothing-has-this-name").orElseThrow();
            assertThat(folder).isEqualTo(userFolder().resolve(".cache/nothing-has-this-name"));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(userFolder())))
                    .isEqualTo("rwx------");
            assertThat(home.note(folder, "XDG_CACHE_HOME"))
                    .get()
                    .asString()
                    .contains(folder.toString(), "set XDG_CACHE_HOME to a folder");
        }
    }

    @Test
    void aHomeThatCannotBeWrittenIsNotUsed() throws IOException {
        Path file = Files.writeString(root.resolve("file"), "");
        Path link = Files.createSymbolicLink(root.resolve("link"), root.resolve("gone"));
        for (Path wrong : new Path[] {file, file.resolve("below"), link}) {
            assertThat(home(wrong.toString(), "/account").toWrite("a"))
                    .contains(userFolder().resolve("a"));
        }
    }

    @Test
    void aHomeThatCanBeWrittenNeedsNoTemporaryFolderAndNoNote() throws IOException {
        UserHome home = home(root.resolve("new/home").toString(), "?");
        Path folder = home.toWrite("a/b").orElseThrow();
        assertThat(folder).isEqualTo(root.resolve("new/home/a/b"));
        assertThat(home.note(folder, "XDG_CACHE_HOME")).isEmpty();
        Files.createDirectories(folder);
        assertThat(home.toWrite("a/b")).contains(folder);
    }

    @Test
    void theTemporaryFolderIsTheVariablesIfThatIsOne() throws IOException {
        Path other = Files.createDirectory(root.resolve("scratch"));
        UserHome home = new UserHome(Map.of("HOME", "/", "TMPDIR", other.toString()), "Linux", "?", temporary);
        assertThat(home.toWrite("a").orElseThrow()).startsWithRaw(other);
        UserHome gone = new UserHome(Map.of("HOME", "/", "TMPDIR", "/none"), "Linux", "?", temporary);
        assertThat(gone.toWrite("a").orElseThrow()).startsWithRaw(temporary);
    }

    @Test
    void theSameFolderIsFoundAgain() throws IOException {
        Path first = home("/", "?").toWrite("a").orElseThrow();
        Files.createDirectories(first);
        assertThat(home("/", "?").toWrite("a")).contains(first);
    }

    @ParameterizedTest
    @ValueSource(strings = {"link", "file", "rwxrwxrwx", "rwx-w----"})
    void aFolderThatAnotherUserMayHaveMadeIsNotUsed(String planted) throws IOException {
        switch (planted) {
            case "link" ->
                Files.createSymbolicLink(userFolder(), Files.createDirectory(root.resolve("of somebody else")));
            case "file" -> Files.writeString(userFolder(), "");
            default -> {
                Files.createDirectory(userFolder());
                Files.setPosixFilePermissions(userFolder(), PosixFilePermissions.fromString(planted));
            }
        }
        UserHome home = home("/", "?");
        assertThat(home.toWrite("a")).isEmpty();
        assertThat(home.nowhere("XDG_CACHE_HOME"))
                .startsWith("the home is /, and " + userFolder())
                .endsWith("; accepted: XDG_CACHE_HOME naming a folder of your own");
    }

    @Test
    void withoutATemporaryFolderWhatIsInTheHomeMayStillBeRead() throws IOException {
        Files.delete(temporary);
        assertThat(home("/", "?").toWrite("tmp-of-nobody")).isEmpty();
        Path file = Files.writeString(Files.createDirectory(root.resolve("h")).resolve("token"), "");
        assertThat(home(root.resolve("h").toString(), "?").toRead("token")).contains(file);
        assertThat(home("/", "?").nowhere("XDG_CACHE_HOME")).contains(temporary + " cannot be written either");
    }
}
