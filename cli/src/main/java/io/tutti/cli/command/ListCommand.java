package io.tutti.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tutti.chat.ChatTemplateException;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.OneLine;
import io.tutti.hub.CachedModel;
import io.tutti.hub.HubCache;
import io.tutti.hub.HubEnvironment;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.TokenizerKind;
import io.tutti.sample.InvalidSamplingParamException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What the Hugging Face cache holds, and whether it runs. */
@Command(
        name = "list",
        customSynopsis = "tutti list [--json]",
        header = "List the models in the Hugging Face cache, and whether they run.",
        description =
                "Shows each model's name, its size on the disk, and whether it runs or why not; `tutti inspect` says"
                        + " more, `tutti pull` adds one and `tutti rm` removes one.")
public final class ListCommand implements Callable<Integer> {

    private static final String RUNS = "runs";

    private final Console console;

    @Option(names = "--json", description = "Print one JSON object instead.")
    private boolean json;

    public ListCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        HubEnvironment environment = HubEnvironment.ofProcess();
        Path cache = environment.cache();
        List<CachedModel> models = new HubCache(cache).models();
        if (json) {
            console.println(json(cache, models).toString());
        } else {
            print(models);
            console.flush();
            console.note(
                    models.isEmpty()
                            ? "no models in " + cache + "; `tutti pull owner/name` downloads one"
                            : Sizes.text(CachedModel.bytes(models)) + " in " + cache);
        }
        environment.note().ifPresent(console::note);
        console.requireWritten();
        return ExitCode.DONE;
    }

    private void print(List<CachedModel> models) {
        int width =
                models.stream().mapToInt(model -> model.name().length()).max().orElse(0);
        for (CachedModel model : models) {
            console.interrupts().check();
            console.println("%%-%ds  %%10s  %%s"
                    .formatted(Math.max(1, width))
                    .formatted(
                            OneLine.of(model.name()),
                            Sizes.text(model.bytes()),
                            Verdict.of(model).text()));
        }
    }

    /**
     * Whether a model runs.
     *
     * @param text that it does, or why not, in a few words
     */
    private record Verdict(boolean runs, String text) {

        static Verdict of(CachedModel model) {
            if (model.commit().isEmpty()) {
                return new Verdict(false, "left of a download; `tutti pull` goes on with it");
            }
            Path directory = model.directory();
            Optional<String> lost = HubCache.lost(directory);
            if (lost.isPresent()) {
                return new Verdict(false, "only part: " + shorten(lost.get(), directory));
            }
            try {
                boolean hasText = Inspection.of(directory).config().tokenizer() != TokenizerKind.NONE;
                return new Verdict(true, hasText ? RUNS : RUNS + ", by token ids only");
            } catch (ModelException | ChatTemplateException | InvalidSamplingParamException e) {
                return new Verdict(false, shorten(e.getMessage(), directory));
            }
        }
    }

    /** A refusal without the directory, which is known here, and without what would be accepted. */
    private static String shorten(String refusal, Path directory) {
        return OneLine.of(refusal.replace(directory + directory.getFileSystem().getSeparator(), "")
                .replace(directory + ": ", "")
                .replaceFirst("; .*", ""));
    }

    private ObjectNode json(Path cache, List<CachedModel> models) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("cache", cache.toString());
        object.put("bytes", CachedModel.bytes(models));
        var array = object.putArray("models");
        for (CachedModel model : models) {
            console.interrupts().check();
            Verdict verdict = Verdict.of(model);
            ObjectNode one = array.addObject();
            one.put("name", model.name());
            one.put("commit", model.commit().orElse(null));
            model.refs().forEach(one.putArray("refs")::add);
            one.put("directory", model.directory().toAbsolutePath().toString());
            one.put("bytes", model.bytes());
            one.put(RUNS, verdict.runs());
            one.put("reason", verdict.runs() ? null : verdict.text());
        }
        return object;
    }
}
