package io.tutti.tornado.program;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What TornadoVM and drivers throw, in a line. */
public final class DeviceFailures {

    private static final Pattern COLOUR = Pattern.compile("\u001B\\[[0-9;]*m");

    /** What TornadoVM says ahead of a reason, and that it did not fall back to Java, as it was told. */
    private static final Pattern LABEL =
            Pattern.compile("^(\\[ERROR] |Reason: |The internal error is: |Bailout is disabled\\. *)");

    /** What follows it is for whoever mends TornadoVM. */
    private static final String STACK_TRACE = "Stacktrace:";

    /** TornadoVM's advice for when it is out of memory; its own limit, which that would raise, is out of the way already. */
    private static final String ADVICE = "To increase the maximum device memory";

    private DeviceFailures() {}

    /** What the innermost message that there is says, or the exception's name. */
    public static String reason(Throwable thrown) {
        String reason = thrown.getClass().getSimpleName();
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            String line = line(t.getMessage());
            if (!line.isEmpty()) {
                reason = line;
            }
        }
        return reason;
    }

    private static String line(String message) {
        if (message == null) {
            return "";
        }
        List<String> lines = message.lines()
                .map(line -> COLOUR.matcher(line).replaceAll(""))
                .map(line -> LABEL.matcher(line).replaceFirst("").strip())
                .toList();
        return lines.stream()
                .takeWhile(line -> !line.startsWith(STACK_TRACE) && !line.startsWith(ADVICE))
                .filter(line -> !line.isEmpty())
                .collect(Collectors.joining("; "));
    }
}
