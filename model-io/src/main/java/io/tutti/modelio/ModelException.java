package io.tutti.modelio;

import io.tutti.base.TuttiException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/**
 * A model directory, or a file in it, is refused. The message is one line that names the file, the key or tensor, its
 * value, and what would be accepted; it is meant for the user as it is.
 */
public final class ModelException extends TuttiException {
    private static final long serialVersionUID = 1L;
    private static final int LONGEST_QUOTE = 80;

    public ModelException(String message) {
        super(message);
    }

    public ModelException(String message, Throwable cause) {
        super(message, cause);
    }

    /** A refusal of {@code file}: {@code FILE: what is wrong}. */
    public static ModelException of(Path file, String problem) {
        return new ModelException(file + ": " + problem);
    }

    /** Reading or writing {@code file} failed. */
    public static ModelException io(Path file, IOException cause) {
        return new ModelException(file + ": " + reason(cause), cause);
    }

    /** {@code file} cannot be written, since {@code directory} takes no files. */
    public static ModelException unwritable(Path file, Path directory, IOException cause) {
        return new ModelException(
                file + ": cannot be written: the directory " + directory + " takes no files: " + reason(cause), cause);
    }

    /**
     * A weight is NaN or infinite, so no token of this model could be trusted.
     *
     * @param index the element's place in the tensor, counted row by row
     */
    public static ModelException notFinite(Path file, String tensor, long index, float value) {
        return of(
                file,
                "tensor " + quote(tensor) + " holds " + value + " at element " + index + "; weights must be finite");
    }

    /** {@code text} in quotes, on one line and shortened, fit for a message: names come from untrusted files. */
    public static String quote(String text) {
        return '"' + excerpt(text) + '"';
    }

    /** {@link #quote} without the quotes. */
    public static String excerpt(String text) {
        return excerpt(text, LONGEST_QUOTE);
    }

    /** {@link #excerpt(String)} of at most {@code longest} characters of the text. */
    public static String excerpt(String text, int longest) {
        StringBuilder excerpt = new StringBuilder();
        int end = Math.min(text.length(), longest);
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            boolean printable = c >= ' ' && c != 0x7F && !Character.isISOControl(c) && !Character.isSurrogate(c);
            excerpt.append(printable && c != '\u2028' && c != '\u2029' ? c : '?');
        }
        return excerpt.append(end < text.length() ? "…" : "").toString();
    }

    private static String reason(IOException cause) {
        return switch (cause) {
            case NoSuchFileException _ -> "no such file or directory";
            case AccessDeniedException _ -> "permission denied";
            case NotDirectoryException _ -> "not a directory";
            case FileAlreadyExistsException _ -> "exists already";
            case DirectoryNotEmptyException _ -> "exists already, and is not empty";
            case ClosedByInterruptException _ -> "interrupted";
            // The message would name the file once more, and one that has to do with it.
            case FileSystemException e
            when e.getReason() != null && !e.getReason().isBlank() ->
                e.getReason().lines().findFirst().orElse("");
            default -> {
                String message = cause.getMessage();
                String kind = cause.getClass().getSimpleName();
                yield message == null || message.isBlank()
                        ? kind
                        : message.lines().findFirst().orElse(kind);
            }
        };
    }
}
