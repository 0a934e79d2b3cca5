package io.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.cli.bench.FreshProcess;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.Interrupts;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class HelpTest {

    private static final List<String> COMMANDS = commands();

    private static List<String> commands() {
        Interrupts interrupts = new Interrupts();
        OutputStream nowhere = OutputStream.nullOutputStream();
        Console console = new Console(InputStream.nullInputStream(), nowhere, nowhere, false, interrupts);
        return List.copyOf(Tutti.commandLine(console, FreshProcess.ofJvm(Main.class, interrupts))
                .getSubcommands()
                .keySet());
    }

    @Test
    void theProgramListsItsCommands() {
        Run run = Run.of("--help");
        assertThat(run.out()).contains(COMMANDS).contains("tutti demo");
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
    }

    @ParameterizedTest
    @FieldSource("COMMANDS")
    void everyCommandHasHelpAndAsksForNothingElse(String command) {
        Run run = Run.of(command, "--help");
        assertThat(run.out()).contains("Usage: tutti " + command, "--help", "--verbose");
        assertThat(run.out().lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(110));
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
    }

    @ParameterizedTest
    @FieldSource("COMMANDS")
    void helpShowsWhatTheOptionShows(String command) {
        Run run = Run.of("help", command);
        assertThat(run.out()).isEqualTo(Run.of(command, "--help").out());
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
    }

    @Test
    void helpAloneListsTheCommands() {
        assertThat(Run.of("help").out()).isEqualTo(Run.of("--help").out());
    }

    @Test
    void theSameOptionIsSaidInTheSameWordsEverywhere() {
        Pattern shared =
                Pattern.compile("--(kv|chunk|threads|device|quant|activations|block-tokens|kv-blocks|tokens)=.*");
        List<String> generate = lines("generate");
        assertThat(lines("logits").stream().filter(shared.asMatchPredicate()))
                .hasSize(9)
                .allSatisfy(line -> assertThat(generate).contains(line));
    }

    @ParameterizedTest
    @FieldSource("COMMANDS")
    void helpNamesNoOptionThatTheCommandDoesNotTake(String command) {
        String help = Run.of(command, "--help").out();
        Set<String> taken = Pattern.compile("(?m)^ +(?:-\\w, )?(--[\\w-]+)")
                .matcher(help)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toSet());
        assertThat(Pattern.compile("--[a-z][\\w-]+").matcher(help).results().map(MatchResult::group))
                .isSubsetOf(taken);
    }

    private static List<String> lines(String command) {
        return Run.of(command, "--help")
                .out()
                .lines()
                .map(line -> line.strip().replaceAll(" +", " "))
                .toList();
    }

    @Test
    void theVersionIsTheBuilds() {
        for (String[] args : List.of(new String[] {"--version"}, new String[] {"generate", "-V"})) {
            assertThat(Run.of(args).out()).matches("tutti \\d+\\.\\d+\\.\\d+\\S*, Java 25\\S*\n");
        }
    }
}
