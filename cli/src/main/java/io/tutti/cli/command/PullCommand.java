package io.tutti.cli.command;

import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.Progress;
import io.tutti.cli.option.ModelOption;
import io.tutti.hub.HubEnvironment;
import io.tutti.hub.ModelName;
import io.tutti.hub.ModelPull;
import io.tutti.hub.PulledModel;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Downloads a model into the Hugging Face cache. */
@Command(
        name = "pull",
        customSynopsis = "tutti pull owner/name[@revision]",
        header = "Download a model into the Hugging Face cache.",
        description = {
            "Brings what a model needs from its hub, checks every file's hash, and prints the directory. What is there"
                    + " already is not downloaded again, and an interrupted download goes on where it ended. From then on"
                    + " every command takes the model by its name.",
            "",
            "The name may be the address of the model's page, too. If the hub cannot be reached and the model is all there,"
                    + " its directory is printed with a note.",
            "",
            "Environment: HF_TOKEN for private and gated models; HF_HUB_CACHE, HF_HOME for the place; HF_ENDPOINT for"
                    + " another hub; HF_HUB_OFFLINE to fetch nothing; HTTPS_PROXY and NO_PROXY for a proxy; SSL_CERT_FILE for"
                    + " a company's certificates."
        })
public final class PullCommand implements Callable<Integer> {

    private static final int SHORT_COMMIT = 12;

    private final Console console;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "MODEL",
            description =
                    "The model at the hub; the revision is a branch, a tag, a commit or refs/pr/N (default: main).")
    private String name;

    public PullCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        HubEnvironment environment = HubEnvironment.ofProcess();
        ModelName model = ModelOption.named(name, environment).model();
        PulledModel pulled;
        try (Progress bar = console.byteProgress("Downloading")) {
            pulled = ModelPull.run(model, environment, new ShownProgress(bar));
        }
        pulled.unasked()
                .ifPresent(why -> console.note(why + "; what the cache has is a whole model, perhaps not the newest"));
        console.note("%s at commit %s: %d files, %s, %s"
                .formatted(
                        model,
                        pulled.commit().substring(0, SHORT_COMMIT),
                        pulled.files(),
                        Sizes.text(pulled.bytes()),
                        pulled.receivedBytes() == 0
                                ? "all there before"
                                : Sizes.text(pulled.receivedBytes()) + " downloaded"));
        environment.note().ifPresent(console::note);
        console.println(pulled.directory().toAbsolutePath().toString());
        console.requireWritten();
        return ExitCode.DONE;
    }

    /** A download's progress: a bar on a terminal, and a line for each reason to wait. */
    private final class ShownProgress implements ModelPull.Progress {
        private final Progress bar;
        private String lastWait = "";

        ShownProgress(Progress bar) {
            this.bar = bar;
        }

        @Override
        public void report(long done, long total) {
            console.interrupts().check();
            bar.report(done, total);
        }

        @Override
        public void waits(String why) {
            if (!why.equals(lastWait)) {
                bar.clearLine();
                console.note(why);
            }
            lastWait = why;
        }
    }
}
