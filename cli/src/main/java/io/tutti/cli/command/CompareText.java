package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import io.tutti.engine.compare.LayerComparison.Result;
import io.tutti.engine.compare.LayerComparison.StageResult;
import io.tutti.engine.selftest.Comparison;
import io.tutti.runtime.Sizes;
import java.util.Locale;

/** A comparison for people. */
final class CompareText {

    private final Console console;

    CompareText(Console console) {
        this.console = console;
    }

    void printLogits(CompareResult result) {
        for (LaneFigures lane : result.others()) {
            String tokens = greedyTokens(lane, result.tokens().length);
            String summary = summary(result.reference(), lane);
            if (lane.logits().exact()) {
                console.println(summary + "; " + tokens);
            } else {
                console.println(summary);
                console.println("  largest difference %s, %s of the largest logit; %s"
                        .formatted(
                                small(lane.logits().largestDifference()),
                                small(lane.logits().relative()),
                                tokens));
            }
        }
        int width = result.lanes().stream()
                .mapToInt(lane -> lane.name().length())
                .max()
                .orElse(0);
        console.println("");
        console.println("%s  %14s  %14s"
                .formatted(
                        " ".repeat(width),
                        count(result.prompt().length, "prompt token"),
                        count(result.tokens().length, "new token")));
        for (LaneFigures lane : result.lanes()) {
            console.println("%s  %14s  %14s"
                    .formatted(pad(lane.name(), width), millis(lane.promptMillis()), millis(lane.newMillis())));
        }
        console.flush();
    }

    /** How many of a lane's bits differ, in one line. */
    static String summary(LaneFigures reference, LaneFigures lane) {
        Comparison logits = lane.logits();
        return "%s vs %s: %s in %s%s%s"
                .formatted(
                        lane.name(),
                        reference.name(),
                        count(logits.differingBits(), "differing bit"),
                        logits.exact() ? "" : Sizes.grouped(logits.differing()) + " of ",
                        count(logits.compared(), "logit"),
                        logits.exact() ? "" : ", the first at position " + lane.firstDifferingPosition());
    }

    private static String greedyTokens(LaneFigures lane, int newTokens) {
        if (lane.sameGreedyTokens() == newTokens) {
            return newTokens == 1 ? "the same greedy token" : "the same " + Sizes.grouped(newTokens) + " greedy tokens";
        }
        return Sizes.grouped(lane.sameGreedyTokens()) + " of " + count(newTokens, "greedy token") + " the same";
    }

    void printLayers(CompareResult result) {
        for (int i = 0; i < result.layers().size(); i++) {
            LaneFigures lane = result.others().get(i);
            console.println("");
            console.println(lane.name() + " vs " + result.reference().name() + ", layer by layer");
            printStages(result.layers().get(i));
            console.println(
                    "  " + conclusion(result.layers().get(i), lane.logits().exact()));
        }
        console.flush();
    }

    private void printStages(Result layers) {
        int width = layers.stages().stream()
                .mapToInt(stage -> stage.stage().length())
                .max()
                .orElse(0);
        console.println("  %s  %14s  %14s  %14s  %18s  %14s"
                .formatted(
                        pad("output", width),
                        "numbers",
                        "differing",
                        "differing bits",
                        "largest difference",
                        "of the largest"));
        for (StageResult stage : layers.stages()) {
            Comparison output = stage.output();
            console.println("  %s  %14s  %14s  %14s  %18s  %14s"
                    .formatted(
                            pad(stage.stage(), width),
                            Sizes.grouped(output.compared()),
                            Sizes.grouped(output.differing()),
                            Sizes.grouped(output.differingBits()),
                            small(output.largestDifference()),
                            small(output.relative())));
        }
    }

    private static String conclusion(Result layers, boolean sameLogits) {
        if (layers.first().isPresent()) {
            Comparison output = layers.first().get().output();
            return "the first op that differs: %s: %s of %s, by %s of the largest at most"
                    .formatted(
                            layers.first().get().op(),
                            Sizes.grouped(output.differing()),
                            count(output.compared(), "number"),
                            small(output.relative()));
        }
        boolean sameStages =
                layers.stages().stream().allMatch(stage -> stage.output().exact());
        if (!sameStages) {
            return "no op that differs shows when its layer ends with it";
        }
        return sameLogits
                ? "no op differs"
                : "no op differs when each layer runs by itself; the difference arises in the whole model only";
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(width - text.length());
    }

    private static String count(long count, String what) {
        return Sizes.grouped(count) + " " + what + (count == 1 ? "" : "s");
    }

    private static String millis(double millis) {
        return Double.isNaN(millis) ? "" : String.format(Locale.ROOT, "%.2f ms each", millis);
    }

    /** {@code 0}, {@code 1.2e-07}. */
    static String small(double value) {
        return value == 0 ? "0" : String.format(Locale.ROOT, "%.1e", value);
    }
}
