package io.tutti.cli.command;

import io.tutti.chat.ChatTemplate;
import io.tutti.cli.chat.Chat;
import io.tutti.cli.chat.ChatInput;
import io.tutti.cli.chat.ChatInputs;
import io.tutti.cli.chat.ChatSession;
import io.tutti.cli.chat.ChatTemplates;
import io.tutti.cli.chat.Conversation;
import io.tutti.cli.chat.Settings;
import io.tutti.cli.console.Console;
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
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.model.StoredModel;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.WarmUp;
import io.tutti.modelio.tokenizer.Ends;
import io.tutti.modelio.tokenizer.LlamaPipeline;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.modelio.tokenizer.Tokenizers;
import java.nio.file.Path;
import java.util.List;
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
        Sampling choice = Sampling.of(sampling, context, directory);
        StoredModel stored = choice.model();
        ModelConfig config = stored.config();
        Settings settings = settings(choice);
        ChatTemplate template = ChatTemplates.require(directory);
        Conversation conversation = Conversations.of(start, console);
        message.ifPresent(conversation::ask);
        EngineConfig engine = run.conversation(config, context);
        int room = engine.positions(config.context());
        LlamaPipeline pipeline = tokenizers.of(directory, config);
        Search kept = ReadyModel.search(stored, run, alone);
        try (WarmUp warmUp = ReadyModel.warmUp(kept, stored, run);
                Tokenizer tokenizer = Tokenizers.open(directory, config.text(), pipeline);
                ReadyModel ready = ReadyModel.open(kept, stored, engine, room, run, console)) {
            warmUp.end();
            Ends ends = answers.ignoreEos()
                    ? Ends.none(config.text())
                    : ChatTemplates.ends(directory, config, tokenizer, template, settings.variables());
            tokenizer.notes().forEach(console::note);
            choice.notes().forEach(console::note);
            ends.notes().forEach(console::note);
            noteStart(settings, config);
            ChatTemplates.noteUnused(template, settings.variables(), console);
            noteRoom(room, config);
            ChatSession session = new ChatSession(directory, ready, engine, tokenizer, template);
            return talk(session, conversation, settings.with(ends), directory);
        }
    }

    private int talk(ChatSession session, Conversation conversation, Settings settings, Path directory) {
        boolean oneMessage = chat.message().isPresent();
        if (oneMessage) {
            Inputs.noteUnread(console, "the message is given; without one it is the message");
        }
        Consumer<Path> checkTarget = target -> Inputs.requireNone("/save", target, directory, Optional.empty());
        try (ChatInput input = oneMessage ? ChatInputs.none() : ChatInputs.of(console, chat.lines())) {
            return new Chat(session, conversation, settings, input, console, checkTarget).run();
        }
    }

    private Settings settings(Sampling choice) {
        return new Settings(
                answers.maxTokens(console.isInteractive()),
                choice.params(),
                sampling.seed().orElseGet(Seed::draw),
                start.templateVariables(),
                chat.whenFull(),
                List.of(),
                answers.stopTexts(),
                run.chunk());
    }

    /** Says which model it is; and the seed, where it was drawn and answers depend on it. */
    private void noteStart(Settings settings, ModelConfig config) {
        console.note("model %s (%s, %s tokens of context)"
                .formatted(model.text(), config.modelType(), Sizes.grouped(config.context())));
        if (!settings.sampling().isGreedy()) {
            settings.seed().note().ifPresent(console::note);
        }
    }

    private void noteRoom(int room, ModelConfig config) {
        if (room < config.context()) {
            console.note(
                    "room for " + room + " of the context's " + config.context() + " tokens; --kv-blocks gives more");
        }
    }
}
