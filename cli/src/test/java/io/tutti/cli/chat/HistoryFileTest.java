package io.tutti.cli.chat;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.Interrupts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class HistoryFileTest {

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Console console =
            new Console(InputStream.nullInputStream(), OutputStream.nullOutputStream(), err, false, new Interrupts());

    private String said() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "Windows has other permissions")
    void itIsMadeForItsOwnerAlone() throws IOException {
        Path file = HistoryFile.in(folder.resolve("state/tutti"), console).orElseThrow();
        assertThat(file).isEmptyFile();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        Files.writeString(file, "1796017495700:Hello\\\\nthere\n1796017495701:/stats\n");
        assertThat(HistoryFile.in(folder.resolve("state/tutti"), console)).contains(file);
        assertThat(said()).isEmpty();
    }

    @Test
    void whatIsNoHistoryIsLeftAloneAndSaid() throws IOException {
        Path file = folder.resolve("chat_history");
        for (byte[] content : new byte[][] {"no time\n".getBytes(StandardCharsets.UTF_8), {'1', ':', (byte) 0xFF}}) {
            Files.write(file, content);
            assertThat(HistoryFile.in(folder, console)).isEmpty();
            assertThat(file).hasBinaryContent(content);
        }
        assertThat(said()).hasLineCount(2).contains(file + ": is not the lines of earlier chats");
    }

    @Test
    void aFolderThatCannotBeMadeIsSaid() throws IOException {
        Path notAFolder = Files.writeString(folder.resolve("file"), "");
        assertThat(HistoryFile.in(notAFolder.resolve("tutti"), console)).isEmpty();
        assertThat(said()).hasLineCount(1).contains("cannot be used, so no lines are kept");
    }
}
