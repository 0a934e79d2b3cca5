package io.tutti.tornado.program;

/** What TornadoVM and drivers throw, in a line. */
final class DeviceFailures {

    private DeviceFailures() {}

    /** The first line of the innermost message that there is. */
    static String reason(Throwable thrown) {
        String reason = thrown.getClass().getSimpleName();
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (t.getMessage() != null && !t.getMessage().isBlank()) {
                reason = t.getMessage().lines().findFirst().orElse(reason).strip();
            }
        }
        return reason;
    }
}
