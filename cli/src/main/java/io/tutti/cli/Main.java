package io.tutti.cli;

import io.tutti.cli.bench.FreshProcess;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.Interrupts;
import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.UsageException;
import io.tutti.cli.option.CommonOptions;
import io.tutti.tornado.config.JvmOptions;
import io.tutti.tornado.config.KernelText;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The program. */
public final class Main {

    private Main() {}

    public static void main(String[] args) {
        boolean tornado = JvmOptions.inForce();
        if (tornado) {
            KernelText.settle();
        }
        Interrupts interrupts = Interrupts.ofProcess();
        int code = run(Console.ofProcess(interrupts, tornado), FreshProcess.ofLauncher(Main.class, interrupts), args);
        interrupts.finish();
        System.exit(code);
    }

    /**
     * Runs one command line; everything it says goes to {@code console}. Returns the exit code.
     *
     * @param fresh runs another in a process of its own
     */
    static int run(Console console, FreshProcess fresh, String... args) {
        try {
            int code = command(console, fresh, args);
            console.requireWritten();
            return code;
        } catch (Throwable failure) { // An OutOfMemoryError is a refusal too, and a bug gets its one line.
            return report(failure, console, List.of(args).contains(CommonOptions.VERBOSE));
        }
    }

    private static int command(Console console, FreshProcess fresh, String... args) throws Exception {
        CommandLine root = Tutti.commandLine(console, fresh);
        ParseResult parsed = root.parseArgs(Words.read(root, args));
        while (parsed.hasSubcommand() && !asksForHelp(parsed)) {
            parsed = parsed.subcommand();
        }
        refuseFlagsWithValues(parsed);
        CommandLine command = parsed.commandSpec().commandLine();
        if (parsed.isUsageHelpRequested()) {
            console.print(command.getUsageMessage(Ansi.OFF));
            return ExitCode.DONE;
        }
        if (parsed.isVersionHelpRequested()) {
            console.println(Version.text());
            return ExitCode.DONE;
        }
        Callable<Integer> runnable = command.getCommand();
        return runnable.call();
    }

    /** picocli takes --json=true, and would take --json=false for its opposite. */
    private static void refuseFlagsWithValues(ParseResult parsed) {
        for (OptionSpec flag : parsed.matchedOptions()) {
            String before = flag.longestName() + "=";
            parsed.originalArgs().stream()
                    .filter(argument -> BadUsage.isFlag(flag) && argument.startsWith(before))
                    .findFirst()
                    .ifPresent(argument -> {
                        throw UsageException.of(
                                flag.longestName(),
                                OneLine.quote(argument.substring(before.length())),
                                flag.longestName() + " without a value");
                    });
        }
    }

    private static boolean asksForHelp(ParseResult parsed) {
        return parsed.isUsageHelpRequested() || parsed.isVersionHelpRequested();
    }

    private static int report(Throwable thrown, Console console, boolean verbose) {
        Failure failure = Failure.of(thrown);
        console.flush();
        failure.line().ifPresent(line -> {
            console.note("tutti: " + line);
            if (verbose) {
                console.trace(thrown);
            }
        });
        return failure.exitCode();
    }
}
