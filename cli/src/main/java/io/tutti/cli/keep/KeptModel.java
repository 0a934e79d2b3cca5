package io.tutti.cli.keep;

import io.tutti.cli.option.RunOptions;
import io.tutti.engine.model.ModelConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A model that is kept loaded, as its process tells others.
 *
 * @param circumstances what its tokens depend on
 * @param model its directory
 * @param askedDevice what {@code --device} said
 * @param device the device that it is on
 * @param note what there is to say to those who use it, in lines
 * @param room positions of its cache
 * @param pid its process
 * @param idle how long the process stays without being used
 * @param busy whether it is making a text
 */
public record KeptModel(
        Circumstances circumstances,
        String model,
        String askedDevice,
        String device,
        String note,
        int room,
        long pid,
        Duration idle,
        boolean busy) {

    /** The model that a run wants kept. Its device and note come with {@link #on}, once it is loaded. */
    public static KeptModel wanted(Path directory, ModelConfig config, RunOptions run, int room, Duration idle)
            throws IOException {
        return new KeptModel(
                Circumstances.of(directory, config, run),
                directory.toRealPath().toString(),
                run.device(),
                "",
                "",
                room,
                ProcessHandle.current().pid(),
                idle,
                false);
    }

    /**
     * This model, loaded.
     *
     * @param device the device's name
     * @param choice what there is to say of the device
     * @param files what there is to say of the files
     */
    public KeptModel on(String device, Optional<String> choice, List<String> files) {
        String first = choice.orElse("device " + device) + "; the model is kept loaded by process " + pid;
        String note = Stream.concat(Stream.of(first), files.stream()).collect(Collectors.joining("\n"));
        return new KeptModel(circumstances, model, askedDevice, device, note, room, pid, idle, busy);
    }

    /** For people: what it is and how it runs. */
    public String text() {
        return "%s: process %d, %s, %s, leaves after %s without use%s"
                .formatted(model, pid, device, circumstances.options(), Idle.text(idle), busy ? ", busy" : "");
    }

    /** Why it cannot serve a run that wants these circumstances and this device, in words; empty if it can. */
    Optional<String> unfitFor(Circumstances wanted, String wantedDevice) {
        Optional<String> difference = circumstances.differenceFrom(wanted);
        if (difference.isPresent()) {
            return difference;
        }
        boolean sameDevice = wantedDevice.equals(askedDevice) || wantedDevice.equals(device);
        return sameDevice ? Optional.empty() : Optional.of("it has --device " + askedDevice);
    }

    KeptModel withBusy(boolean value) {
        return new KeptModel(circumstances, model, askedDevice, device, note, room, pid, idle, value);
    }
}
