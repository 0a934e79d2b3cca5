package io.tutti.cli.bench;

import io.tutti.cli.console.Interrupts;
import io.tutti.engine.limits.ProcessorLimits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Rounds in which every device does the whole workload once, and the processor's limits are measured right before what is
 * held against them: on a machine that is shared, figures of the same minute are what can be compared. The first round warms
 * everything up and does not count.
 */
public final class Rounds {

    private final List<BenchedModel> models;
    private final Workload work;
    private final ProcessorLimits limits;
    private final Interrupts interrupts;

    public Rounds(List<BenchedModel> models, Workload work, ProcessorLimits limits, Interrupts interrupts) {
        this.models = List.copyOf(models);
        this.work = work;
        this.limits = limits;
        this.interrupts = interrupts;
    }

    /** What {@link #run} takes, counted as {@code step} is called. */
    public int steps(int repeats) {
        return (1 + repeats) * models.size();
    }

    /**
     * Runs {@code repeats} rounds after a first one.
     *
     * @param step runs when a device is done with a round
     * @return each device's rounds, in the devices' order
     */
    public List<List<Round>> run(int repeats, Runnable step) {
        round(step);
        List<List<Round>> byDevice = new ArrayList<>();
        models.forEach(_ -> byDevice.add(new ArrayList<>()));
        for (int i = 0; i < repeats; i++) {
            List<Round> round = round(step);
            for (int m = 0; m < models.size(); m++) {
                byDevice.get(m).add(round.get(m));
            }
        }
        return byDevice;
    }

    private List<Round> round(Runnable step) {
        List<Round> rounds = new ArrayList<>();
        for (BenchedModel model : models) {
            interrupts.check();
            double read = limits.readBytesPerSecond();
            Map<Integer, Double> decode = new HashMap<>();
            work.contexts().forEach(context -> decode.put(context, model.decode(context)));
            interrupts.check();
            double flops = limits.flopsPerSecond();
            rounds.add(new Round(read, flops, model.prefill(), decode));
            step.run();
        }
        return rounds;
    }
}
