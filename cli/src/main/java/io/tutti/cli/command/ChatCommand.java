package io.tutti.cli.command;

import io.tutti.chat.ChatTemplate;
import io.tutti.cli.chat.ChatInput;
import io.tutti.cli.chat.ChatInputs;
import io.tutti.cli.chat.ChatLoop;
import io.tutti.cli.chat.ChatTemplates;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.InvalidOutput;
import io.tutti.cli.console.UsageException;
import io.tutti.cli.keep.KeptTokens.Search;
import io.tutti.cli.option.AloneOption;
import io.tutti.cli.option.AnswerOptions;
import io.tutti.cli.option.ChatOptions;
import io.tutti.cli.option.ContextOption;
import io.tutti.cli.option.ConversationOptions;
import io.tutti.cli.option.ModelOption;
import io.tutti.cli.option.RunOptions;
import io.tutti.cli.option.SamplingOptions;
import io.tutti.cli.option.Seed;
import io.tutti.cli.option.TokenizerOption;
import io.tutti.engine.host.warmup.WarmUp;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.modelio.tokenizer.Ends;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.runtime.AnswerSettings;
import io.tutti.runtime.Chat;
import io.tutti.runtime.Conversation;
import io.tutti.runtime.ModelFiles;
import io.tutti.runtime.Sizes;
import io.tutti.runtime.generate.Generator;
import io.tutti.runtime.generate.ResolvedSampling;
import io.tutti.runtime.generate.Stops;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A conversation with a model. */
@Command(
        name = "chat",
        customSynopsis = "tutti chat MODEL [MESSAGE] [OPTIONS]",
        header = "Talk to a model.",
        description = {
            "Answers stream to standard output as they are made. Ctrl-C stops an answer and keeps the chat; at an empty",
            "line it leaves, as Ctrl-D does. /help lists what else can be typed. If standard input is no terminal, all",
            "of it is one message, or with --lines each line is one; answers then end at --max-tokens, and the exit code",
            "is 1 if anything was refused. `tutti run` is the same command."
        },
        footer = {
            "",
            "Examples:",
            "  tutti chat my-model",
            "  tutti chat my-model --system \"You are a pirate.\" --temperature 0.7",
            "  tutti chat my-model \"Why is the sky blue?\"",
            "  tutti chat my-model < letter.txt",
            "  printf 'What is 7 times 8?\\nAnd 7 times 9?\\n' | tutti chat my-model --lines"
        })
public sealed class ChatCommand implements Callable<Integer> permits RunCommand {

    private final Console console;

    @Mixin
    private ModelOption model;

    @Mixin
    private ChatOptions chat;

    @Mixin
    private ContextOption context;

    @Mixin
    private TokenizerOption tokenizers;

    @Mixin
    private ConversationOptions start;

    @Mixin
    private AnswerOptions answers;

    @Mixin
    private SamplingOptions sampling;

    @Mixin
    private RunOptions run;

    @Mixin
    private AloneOption alone;

    public ChatCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Path directory = model.path(chat);
        Optional<String> message = chat.message();
        if (start.readsInput()) {
            throw new UsageException(
                    "--messages is - (standard input), which has what is to be said; accepted: a file");
        }
        ModelFiles opened = ModelFiles.open(directory, sampling.modelDefaults());
        ResolvedSampling choice = sampling.given().over(opened.generationConfig());
        try (ModelFiles files = context.of(opened).withPipeline(tokenizers.pipeline())) {
            return chat(files, choice, message);
        }
    }

    private int chat(ModelFiles files, ResolvedSampling choice, Optional<String> message) {
        ModelConfig config = files.config();
        Seed seed = sampling.seed().orElseGet(Seed::draw);
        AnswerSettings settings = settings(choice, seed);
        ChatTemplate template = ChatTemplates.require(files);
        Conversation conversation = Conversations.of(start, console);
        message.ifPresent(conversation::ask);
        EngineConfig engine = run.conversation(config, context);
        int room = engine.positions(config.context());
        tokenizers.check(files.directory(), config);
        Search kept = ReadyModel.search(files, run, alone);
        try (WarmUp warmUp = ReadyModel.warmUp(kept, files, run)) {
            Tokenizer tokenizer = files.tokenizer();
            try (ReadyModel ready = ReadyModel.open(kept, files, engine, room, run, console)) {
                warmUp.end();
                Ends ends = answers.ignoreEos() ? Ends.none(config.text()) : files.answerEnds(settings.variables());
                tokenizer.notes().forEach(console::note);
                SamplingNotes.of(choice).forEach(console::note);
                ends.notes().forEach(console::note);
                noteStart(settings, seed, config);
                ChatTemplates.noteUnused(template, settings.variables(), console);
                noteRoom(room, config);
                AnswerSettings ended = settings.withStops(settings.stops().and(Stops.of(ends)));
                Generator generator = new Generator(ready, Optional.of(tokenizer));
                return talk(new Chat(files, generator, room, conversation, ended), files.directory());
            }
        }
    }

    private int talk(Chat talk, Path directory) {
        boolean oneMessage = chat.message().isPresent();
        if (oneMessage) {
            Inputs.noteUnread(console, "the message is given; without one it is the message");
        }
        InvalidOutput invalidOutput = new InvalidOutput(directory, run.kv());
        Consumer<Path> checkTarget = target -> Inputs.requireNone("/save", target, directory, Optional.empty());
        try (ChatInput input = oneMessage ? ChatInputs.none() : ChatInputs.of(console, chat.lines())) {
            return new ChatLoop(talk, invalidOutput, input, console, checkTarget).run();
        }
    }

    private AnswerSettings settings(ResolvedSampling choice, Seed seed) {
        return new AnswerSettings(
                answers.maxTokens(console.isInteractive()),
                choice.params(),
                seed.value(),
                start.templateVariables(),
                chat.whenFull(),
                Stops.at(answers.stopTexts()),
                run.chunk());
    }

    /** Says which model it is; and the seed, where it was drawn and answers depend on it. */
    private void noteStart(AnswerSettings settings, Seed seed, ModelConfig config) {
        console.note("model %s (%s, %s tokens of context)"
                .formatted(model.text(), config.modelType(), Sizes.grouped(config.context())));
        if (!settings.sampling().isGreedy()) {
            seed.note().ifPresent(console::note);
        }
    }

    private void noteRoom(int room, ModelConfig config) {
        if (room < config.context()) {
            console.note(
                    "room for " + room + " of the context's " + config.context() + " tokens; --kv-blocks gives more");
        }
    }
}
