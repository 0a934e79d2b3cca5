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
        for (TrackFigures track : result.others()) {
            String tokens = greedyTokens(track, result.tokens().length);
            String summary = summary(result.reference(), track);
            if (track.logits().exact()) {
                console.println(summary + "; " + tokens);
            } else {
                console.println(summary);
                console.println("  largest difference %s, %s of the largest logit; %s"
                        .formatted(
                                small(track.logits().largestDifference()),
                                small(track.logits().relative()),
                                tokens));
            }
        }
        int width = result.tracks().stream()
                .mapToInt(track -> track.name().length())
                .max()
                .orElse(0);
        console.println("");
        console.println("%s  %14s  %14s"
                .formatted(
                        " ".repeat(width),
                        count(result.prompt().length, "prompt token"),
                        count(result.tokens().length, "new token")));
        for (TrackFigures track : result.tracks()) {
            console.println("%s  %14s  %14s"
                    .formatted(pad(track.name(), width), millis(track.promptMillis()), millis(track.newMillis())));
        }
        console.flush();
    }

    /** How many of a track's bits differ, in one line. */
    static String summary(TrackFigures reference, TrackFigures track) {
        Comparison logits = track.logits();
        return "%s vs %s: %s in %s%s%s"
                .formatted(
                        track.name(),
                        reference.name(),
                        count(logits.differingBits(), "differing bit"),
                        logits.exact() ? "" : Sizes.grouped(logits.differing()) + " of ",
                        count(logits.compared(), "logit"),
                        logits.exact() ? "" : ", the first at position " + track.firstDifferingPosition());
    }

    private static String greedyTokens(TrackFigures track, int newTokens) {
        if (track.sameGreedyTokens() == newTokens) {
            return newTokens == 1 ? "the same greedy token" : "the same " + Sizes.grouped(newTokens) + " greedy tokens";
        }
        return Sizes.grouped(track.sameGreedyTokens()) + " of " + count(newTokens, "greedy token") + " the same";
    }

    void printLayers(CompareResult result) {
        for (int i = 0; i < result.layers().size(); i++) {
            TrackFigures track = result.others().get(i);
            console.println("");
            console.println(track.name() + " vs " + result.reference().name() + ", layer by layer");
            printStages(result.layers().get(i));
            console.println(
                    "  " + conclusion(result.layers().get(i), track.logits().exact()));
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
