package io.tutti.cli.chat;

import io.tutti.cli.console.Console;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.regex.Pattern;

/** Where the lines of earlier chats are kept, as JLine writes them: a time, a colon, the line. */
final class HistoryFile {

    private static final String NAME = "chat_history";
    private static final Pattern LINE = Pattern.compile("[0-9]+:.*");

    private HistoryFile() {}

    /**
     * The file in {@code folder}, made if it is not there, for its owner alone: it holds what was said. Empty, with a note, if it
     * cannot be made or is something else.
     */
    static Optional<Path> in(Path folder, Console console) {
        Path file = folder.resolve(NAME);
        try {
            Files.createDirectories(folder);
            if (!Files.exists(file)) {
                Files.createFile(file, ownersAlone());
            }
            if (isHistory(file)) {
                return Optional.of(file);
            }
            console.note(file + ": is not the lines of earlier chats, so none are kept; delete it to begin anew");
        } catch (IOException e) {
            console.note(file + ": cannot be used, so no lines are kept: " + e);
        }
        return Optional.empty();
    }

    private static boolean isHistory(Path file) throws IOException {
        try {
            return Files.isWritable(file) && Files.readAllLines(file).stream().allMatch(LINE.asMatchPredicate());
        } catch (CharacterCodingException _) {
            return false;
        }
    }

    private static FileAttribute<?>[] ownersAlone() {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }
}
