package io.tutti.cli;

import io.tutti.cli.bench.FreshProcess;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.Interrupts;
import io.tutti.cli.keep.KeptTraining;
import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.DeviceKind;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.runner.KernelTraining;
import io.tutti.tornado.config.JvmOptions;
import io.tutti.tornado.config.KernelText;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

/**
 * What the launcher runs once after a build to fill the JVM's AOT cache. Command lines and the use of a kept model load the classes
 * that the cache will hold. The host's kernels run for each kind of weight, activation and cache, so that a later JVM compiles them
 * without watching them run first. In TornadoVM's JVM the first device is used, too.
 */
public final class Training {

    /** A driver that hangs must not hold up the build. */
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private Training() {}

    /**
     * Trains, and ends the JVM as the last command line does.
     *
     * @param args a small model with a tokenizer; then a command line
     */
    public static void main(String[] args) throws IOException {
        boolean tornado = JvmOptions.inForce();
        if (tornado) {
            KernelText.settle();
        }
        Thread.ofPlatform().daemon().start(Training::endAtLimit);
        String model = args[0];
        KernelTraining.run(ModelConfig.load(Path.of(model)));
        Interrupts none = new Interrupts();
        Console console = Console.ofProcess(none, tornado);
        FreshProcess fresh = FreshProcess.ofLauncher(Main.class, none);
        Main.run(console, fresh, generate(model, Devices.HOST));
        KeptTraining.run(Path.of(model));
        if (tornado) {
            Devices.find(BackendOptions.defaults()).list().stream()
                    .filter(device -> device.kind() != DeviceKind.HOST)
                    .findFirst()
                    .ifPresent(device -> Main.run(console, fresh, generate(model, device.name())));
        }
        Main.main(Arrays.copyOfRange(args, 1, args.length));
    }

    private static String[] generate(String model, String device) {
        return new String[] {"generate", model, "--prompt", "It is", "--max-tokens", "8", "--device", device};
    }

    private static void endAtLimit() {
        try {
            Thread.sleep(LIMIT);
        } catch (InterruptedException _) {
            return;
        }
        Runtime.getRuntime().halt(ExitCode.REFUSED);
    }
}
