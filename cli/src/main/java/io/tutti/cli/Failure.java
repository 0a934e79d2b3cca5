package io.tutti.cli;

import io.tutti.chat.ChatTemplateException;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.InterruptedRunException;
import io.tutti.cli.console.InvalidOutput;
import io.tutti.cli.console.RefusedException;
import io.tutti.cli.console.UsageException;
import io.tutti.engine.backend.DeviceException;
import io.tutti.engine.runner.EngineException;
import io.tutti.hub.HubException;
import io.tutti.kv.KvException;
import io.tutti.modelio.ModelException;
import io.tutti.sample.InvalidLogitsException;
import io.tutti.sample.InvalidSamplingParamException;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import picocli.CommandLine.ParameterException;

/**
 * What a failure is to the user.
 *
 * @param exitCode one of {@link ExitCode}
 * @param line what to say, on one line and without the program's name; empty if there is nothing to say
 */
record Failure(int exitCode, Optional<String> line) {

    static Failure of(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof UsageException usage) {
                // picocli wraps what an option's setter throws.
                return new Failure(ExitCode.BAD_USAGE, usage.getMessage());
            }
        }
        return switch (thrown) {
            case InterruptedRunException _, CancellationException _ ->
                new Failure(ExitCode.INTERRUPTED, Optional.empty());
            case ParameterException e -> new Failure(ExitCode.BAD_USAGE, BadUsage.line(e));
            case RefusedException _,
                    ModelException _,
                    ChatTemplateException _,
                    HubException _,
                    EngineException _,
                    DeviceException _,
                    InvalidSamplingParamException _ -> new Failure(ExitCode.REFUSED, thrown.getMessage());
            case KvException e -> new Failure(ExitCode.REFUSED, "the cache: " + e.getMessage());
            case InvalidLogitsException e -> new Failure(ExitCode.REFUSED, InvalidOutput.text(e));
            case OutOfMemoryError e ->
                new Failure(
                        ExitCode.REFUSED,
                        "out of memory: " + e.getMessage()
                                + "; smaller --kv-blocks, --block-tokens or --chunk, --kv f16 or --quant need less, and"
                                + " TUTTI_JAVA_OPTS=-Xmx… raises the heap's limit");
            default -> new Failure(ExitCode.REFUSED, "internal error: " + thrown + " (--verbose shows where)");
        };
    }

    private Failure(int exitCode, String line) {
        this(exitCode, Optional.of(line));
    }
}
