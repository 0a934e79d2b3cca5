package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.UsageException;
import io.tutti.cli.option.ModelOption;
import io.tutti.hub.CacheRemoval;
import io.tutti.hub.HubCache;
import io.tutti.hub.HubEnvironment;
import io.tutti.hub.PastedName;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Removes a model from the Hugging Face cache. */
@Command(
        name = "rm",
        customSynopsis = "tutti rm owner/name[@revision] [--yes]",
        header = "Remove a model from the Hugging Face cache.",
        description = {
            "Removes every revision of the model, or with @revision that one and the files that no other one uses. It asks"
                    + " first, unless --yes is given. Other programs that use the cache no longer find the model either."
        })
public final class RmCommand implements Callable<Integer> {

    private static final Set<String> YES = Set.of("y", "yes");

    private final Console console;

    @Parameters(index = "0", arity = "0..1", paramLabel = "MODEL", description = "The model, as `tutti list` shows it.")
    private String name;

    @Option(
            names = {"-y", "--yes"},
            description = "Remove it without asking.")
    private boolean yes;

    public RmCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        HubEnvironment environment = HubEnvironment.ofProcess();
        PastedName model = ModelOption.named(name, environment);
        CacheRemoval removal = CacheRemoval.of(new HubCache(environment.cache()), model);
        String what = "%s%s (%d files, %s)"
                .formatted(
                        model.model().repository(),
                        model.revisionGiven() ? "@" + model.model().revision() : "",
                        removal.files(),
                        Sizes.text(removal.bytes()));
        if (!yes && !isConfirmed(what)) {
            console.note("nothing is removed");
            return ExitCode.REFUSED;
        }
        removal.run();
        console.note("removed " + what);
        return ExitCode.DONE;
    }

    private boolean isConfirmed(String what) {
        if (!console.isInteractive()) {
            throw new UsageException(
                    "rm asks before it removes " + what + ", and there is no terminal to ask at; accepted: --yes");
        }
        Optional<String> answer = console.ask("remove " + what + "? [y/N]");
        return answer.map(text -> text.strip().toLowerCase(Locale.ROOT))
                .filter(YES::contains)
                .isPresent();
    }
}
