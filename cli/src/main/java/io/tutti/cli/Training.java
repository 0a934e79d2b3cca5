package io.tutti.cli;

import io.tutti.engine.runner.KernelTraining;
import io.tutti.modelio.config.ModelConfig;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * What the launcher runs once after a build, for the JVM's AOT cache: a command line, whose classes it will hold, and the
 * host's kernels for each kind of weight, activation and cache, so that a later JVM need not see them run before it compiles
 * them.
 */
public final class Training {

    private Training() {}

    /**
     * Trains, and ends the JVM as the command line does.
     *
     * @param args the model whose kind the small ones are of; then the command line
     */
    public static void main(String[] args) {
        KernelTraining.run(ModelConfig.load(Path.of(args[0])));
        Main.main(Arrays.copyOfRange(args, 1, args.length));
    }
}
