package io.tutti.cli.command;

import io.tutti.chat.ChatTemplate;
import io.tutti.cli.chat.ChatTemplates;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.InterruptedRunException;
import io.tutti.cli.console.InvalidOutput;
import io.tutti.cli.console.RefusedException;
import io.tutti.cli.console.UsageException;
import io.tutti.cli.keep.KeptTokens.Search;
import io.tutti.cli.option.AloneOption;
import io.tutti.cli.option.ChatPromptOptions;
import io.tutti.cli.option.ContextOption;
import io.tutti.cli.option.GenerationOptions;
import io.tutti.cli.option.ModelOption;
import io.tutti.cli.option.Prompt;
import io.tutti.cli.option.PromptOptions;
import io.tutti.cli.option.RunOptions;
import io.tutti.cli.option.SamplingOptions;
import io.tutti.cli.option.Seed;
import io.tutti.cli.option.TokenizerOption;
import io.tutti.engine.host.warmup.WarmUp;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.modelio.tokenizer.Ends;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.runtime.Conversation;
import io.tutti.runtime.ModelFiles;
import io.tutti.runtime.generate.GenerationListener;
import io.tutti.runtime.generate.GenerationRequest;
import io.tutti.runtime.generate.GenerationResult;
import io.tutti.runtime.generate.GenerationResult.Finish;
import io.tutti.runtime.generate.Generator;
import io.tutti.runtime.generate.ResolvedSampling;
import io.tutti.runtime.generate.Stops;
import io.tutti.sample.InvalidLogitsException;
import io.tutti.sample.SamplingParams;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Continues a prompt, or answers it as in a chat. */
@Command(
        name = "generate",
        customSynopsis = "tutti generate MODEL [PROMPT | --prompt-file FILE | --tokens IDS] [OPTIONS]",
        header = "Continue a prompt.",
        description = {
            "The new text alone goes to standard output as it is made; notes and figures go to standard error.",
            "Without a tokenizer, token ids are printed. Ctrl-C ends the text where it is. Piped text is the prompt if no",
            "other is given; a line end at its end is dropped."
        },
        footer = {
            "",
            "Examples:",
            "  tutti generate my-model \"The capital of France is\" --max-tokens 20",
            "  git diff | tutti generate my-model --chat --system \"Write a commit message.\"",
            "  tutti generate my-model --prompt-file story.txt --temperature 0.8 --top-p 0.95 --seed 7",
            "  tutti generate my-model --tokens 1,2,3 --json",
            "  tutti generate my-model --chat --prompt \"What is the capital of France?\""
        })
public final class GenerateCommand implements Callable<Integer> {

    private static final Seed DEFAULT_SEED = new Seed(0, false);

    private final Console console;

    @Mixin
    private ModelOption model;

    @Mixin
    private ContextOption context;

    @Mixin
    private TokenizerOption tokenizers;

    @Mixin
    private PromptOptions prompts;

    @Mixin
    private ChatPromptOptions chat;

    @Mixin
    private GenerationOptions generation;

    @Mixin
    private SamplingOptions sampling;

    @Mixin
    private RunOptions run;

    @Mixin
    private AloneOption alone;

    @Option(names = "--json", description = "Print one JSON object instead: tokens, logprobs, text and figures.")
    private boolean json;

    public GenerateCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Path directory = model.path(prompts);
        chat.check(prompts, console);
        ModelFiles opened = ModelFiles.open(directory, sampling.modelDefaults());
        ResolvedSampling choice = sampling.given().over(opened.generationConfig());
        try (ModelFiles files = context.of(opened).withPipeline(tokenizers.pipeline())) {
            return generate(files, choice);
        }
    }

    private int generate(ModelFiles files, ResolvedSampling choice) {
        ModelConfig config = files.config();
        requireTextForStops(files);
        tokenizers.check(files.directory(), config);
        Search kept = ReadyModel.search(files, run, alone);
        try (WarmUp warmUp = ReadyModel.warmUp(kept, files, run)) {
            int[] prompt =
                    PromptTokens.of(prompt(files), !generation.stopTexts().isEmpty(), files);
            Seed seed = sampling.seed().orElse(DEFAULT_SEED);
            Ends ends = ends(files);
            GenerationRequest request = request(prompt, choice.params(), seed, ends);
            int positions = request.positions(config.context());
            EngineConfig engine = run.engine(prompt.length, positions);
            try (ReadyModel ready = ReadyModel.open(kept, files, engine, positions, run, console)) {
                warmUp.end();
                files.tokenizerNotes().forEach(console::note);
                SamplingNotes.of(choice).forEach(console::note);
                ends.notes().forEach(console::note);
                seed.note().ifPresent(console::note);
                noteLeftAside(files);
                return generate(ready, files, request);
            } catch (InvalidLogitsException e) {
                throw new RefusedException(new InvalidOutput(files.directory(), run.kv()).line(e), e);
            }
        }
    }

    private Prompt prompt(ModelFiles files) {
        if (!chat.chat()) {
            return prompts.read(console);
        }
        ChatTemplate template = ChatTemplates.require(files);
        Conversation conversation = Conversations.of(chat, console);
        List<String> options = new ArrayList<>(chat.givesMessages() ? List.of("--messages") : List.of());
        if (prompts.given() || !chat.givesMessages()) {
            ask(conversation, prompts.read(console), options);
        } else if (!conversation.awaitsAnswer()) {
            prompts.readPiped(console).ifPresent(message -> ask(conversation, message, options));
        }
        if (!conversation.awaitsAnswer()) {
            throw new UsageException(
                    "--messages ends with no message to answer; accepted: a last message that is not the"
                            + " assistant's, or --prompt TEXT to go on with");
        }
        return new Prompt.Chat(
                String.join(" with ", options),
                template.render(conversation.messages(), List.of(), true, chat.templateVariables()),
                template.place());
    }

    private static void ask(Conversation conversation, Prompt prompt, List<String> options) {
        if (prompt instanceof Prompt.Text message) {
            conversation.ask(message.text());
            options.add(message.option());
        }
    }

    /** Says what was given and does nothing. */
    private void noteLeftAside(ModelFiles files) {
        if (!chat.templateVariables().isEmpty()) {
            ChatTemplates.noteUnused(ChatTemplates.require(files), chat.templateVariables(), console);
        }
        if ((prompts.given() || chat.givesMessages()) && !prompts.readsInput() && !chat.readsInput()) {
            Inputs.noteUnread(console, "the prompt is given; --prompt-file - reads it");
        }
    }

    private void requireTextForStops(ModelFiles files) {
        if (!generation.stopTexts().isEmpty() && !files.hasTokenizer()) {
            throw new UsageException(
                    "--stop needs a tokenizer, and the model has none; accepted: a model with tokenizer.json, or no --stop");
        }
    }

    private Ends ends(ModelFiles files) {
        if (generation.ignoreEos()) {
            return Ends.none(files.config().text());
        }
        return chat.chat() ? files.answerEnds(chat.templateVariables()) : files.ends();
    }

    private GenerationRequest request(int[] prompt, SamplingParams params, Seed seed, Ends ends) {
        return new GenerationRequest(
                prompt,
                run.newTokens(prompt.length, generation.maxTokens()),
                params,
                seed.value(),
                Stops.at(generation.stopTexts()).and(Stops.of(ends)),
                json,
                run.chunk(),
                chat.chat());
    }

    private int generate(ReadyModel ready, ModelFiles files, GenerationRequest request) {
        Optional<Tokenizer> tokenizer = files.usableTokenizer();
        Generator generator = new Generator(ready, tokenizer);
        Figures figures = new Figures(request.prompt().length, ready.loadNanos());
        GenerationResult result;
        if (json) {
            GenerationListener clock = new GenerationListener() {
                @Override
                public void token(int id, String text) {
                    figures.firstToken();
                }
            };
            result = generator.generate(request, clock, console.interrupts()::asked);
            if (result.finish() == Finish.CANCELLED) {
                throw new InterruptedRunException();
            }
            console.println(GenerateJson.of(ready.device(), request, result, figures, run)
                    .toString());
        } else {
            try (TextPrinter printer = new TextPrinter(console, tokenizer.isPresent(), figures)) {
                result = generator.generate(
                        request, printer, () -> console.interrupts().asked() || console.closed());
            }
        }
        console.requireWritten();
        if (console.interrupts().asked()) {
            return ExitCode.INTERRUPTED;
        }
        if (!console.closed()) {
            if (result.finish() == Finish.LENGTH) {
                noteEnd(result.tokens().length, request, files.config());
            }
            console.note(figures.line(result));
        }
        return ExitCode.DONE;
    }

    /** Says what ended a text of as many tokens, if it was not the length asked for. */
    private void noteEnd(int tokens, GenerationRequest request, ModelConfig config) {
        if (tokens < request.maxTokens()) {
            console.note("the text ends because the context is full: " + config.context() + " tokens ("
                    + config.contextSource() + ")");
        } else if (tokens < generation.maxTokens()) {
            console.note("the text ends because the cache is full; --kv-blocks gives more room");
        }
    }
}
