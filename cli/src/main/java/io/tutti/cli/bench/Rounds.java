package io.tutti.cli.bench;

import io.tutti.cli.bench.Round.Timed;
import io.tutti.cli.console.Interrupts;
import io.tutti.engine.limits.ProcessorLimits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Rounds in which every device does the whole workload once, and the processor's limits are measured right before and
 * after what is held against them: on a machine that is shared, figures of the same minute are what can be compared. The first round warms
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
            Map<Integer, Timed> decode = new HashMap<>();
            double read = limits.readBytesPerSecond();
            for (int context : work.contexts()) {
                interrupts.check();
                double seconds = model.decode(context);
                double after = limits.readBytesPerSecond();
                decode.put(context, new Timed(seconds, (read + after) / 2));
                read = after;
            }
            interrupts.check();
            double flops = limits.flopsPerSecond();
            double seconds = model.prefill();
            double after = limits.flopsPerSecond();
            rounds.add(new Round(new Timed(seconds, (flops + after) / 2), decode));
            step.run();
        }
        return rounds;
    }
}
