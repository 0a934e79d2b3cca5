package io.tutti.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The program in a process of its own. */
public final class MainProcess {

    private MainProcess() {}

    /** The command that runs it, begun by {@code launcher}, which may be empty. */
    static List<String> command(List<String> launcher, String... args) {
        return command(launcher, List.of(), args);
    }

    /** The command that runs it with further flags for the JVM. */
    public static List<String> command(List<String> launcher, List<String> flags, String... args) {
        List<String> command = new ArrayList<>(launcher);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-modules=jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1"));
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(List.of(args));
        return command;
    }
}
