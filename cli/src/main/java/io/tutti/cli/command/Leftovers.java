package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import io.tutti.modelio.files.WholeOrNothing;
import java.nio.file.Path;

/** What runs that were killed left beside an output. */
final class Leftovers {
    private Leftovers() {}

    /** Names each, since only the user knows whether another run still writes it. */
    static void note(String option, Path target, Console console) {
        for (Path leftover : WholeOrNothing.leftovers(target)) {
            console.note(leftover
                    + ": a run to the same " + option
                    + " that was killed has left it, or one that still goes on is writing it; "
                    + "delete it if there is none");
        }
    }
}
