package io.tutti.cli;

import io.tutti.cli.bench.FreshProcess;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.Interrupts;
import io.tutti.cli.keep.KeptTraining;
import io.tutti.engine.runner.KernelTraining;
import io.tutti.modelio.config.ModelConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * What the launcher runs once after a build to fill the JVM's AOT cache. Command lines and the use of a kept model load the classes
 * that the cache will hold. The host's kernels run for each kind of weight, activation and cache, so that a later JVM compiles them
 * without watching them run first.
 */
public final class Training {

    private Training() {}

    /**
     * Trains, and ends the JVM as the last command line does.
     *
     * @param args a small model with a tokenizer; then a command line
     */
    public static void main(String[] args) throws IOException {
        String model = args[0];
        KernelTraining.run(ModelConfig.load(Path.of(model)));
        Interrupts none = new Interrupts();
        Console console = Console.ofProcess(none, false);
        FreshProcess fresh = FreshProcess.ofLauncher(Main.class, none);
        Main.run(console, fresh, "generate", model, "--prompt", "It is", "--max-tokens", "8");
        KeptTraining.run(Path.of(model));
        Main.main(Arrays.copyOfRange(args, 1, args.length));
    }
}
