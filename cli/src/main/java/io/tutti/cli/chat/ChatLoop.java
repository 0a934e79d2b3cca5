package io.tutti.cli.chat;

import io.tutti.base.TuttiException;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.InvalidOutput;
import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.RefusedException;
import io.tutti.cli.console.UsageException;
import io.tutti.cli.option.Seed;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.files.WholeOrNothing;
import io.tutti.runtime.Answer;
import io.tutti.runtime.AnswerSettings;
import io.tutti.runtime.Chat;
import io.tutti.runtime.Conversation;
import io.tutti.runtime.ConversationTooLongException;
import io.tutti.runtime.generate.GenerationResult;
import io.tutti.runtime.generate.GenerationResult.Finish;
import io.tutti.sample.InvalidLogitsException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads messages and commands until there are no more, and answers each. What is refused is one line, and the chat goes
 * on.
 */
public final class ChatLoop {

    private final Chat chat;
    private final Conversation conversation;
    private final InvalidOutput invalidOutput;
    private final ChatInput input;
    private final Console console;
    private final Consumer<Path> checkTarget;
    private Optional<Answer> last = Optional.empty();
    private boolean refused;
    private boolean rolled;

    /**
     * @param chat what is talked to
     * @param invalidOutput says what to do where no token can be chosen
     * @param checkTarget refuses files that {@code /save} must not replace
     */
    public ChatLoop(
            Chat chat, InvalidOutput invalidOutput, ChatInput input, Console console, Consumer<Path> checkTarget) {
        this.chat = chat;
        this.invalidOutput = invalidOutput;
        conversation = chat.conversation();
        this.input = input;
        this.console = console;
        this.checkTarget = checkTarget;
    }

    /**
     * Chats; a conversation that ends with a message is answered first.
     *
     * @return {@link ExitCode#INTERRUPTED} if the run was asked to stop; {@link ExitCode#REFUSED} if anything was
     *     refused
     */
    public int run() {
        if (conversation.awaitsAnswer()) {
            answer();
        }
        Optional<String> typed = next();
        while (typed.isPresent() && handle(typed.get())) {
            typed = next();
        }
        console.requireWritten();
        if (console.interrupts().asked()) {
            return ExitCode.INTERRUPTED;
        }
        return refused ? ExitCode.REFUSED : ExitCode.DONE;
    }

    private Optional<String> next() {
        return console.interrupts().asked() || console.closed() ? Optional.empty() : input.read();
    }

    /** Obeys a command, or answers a message; false if the chat ends with it. */
    private boolean handle(String typed) {
        try {
            if (!input.isVerbatim() && Draft.isCommand(typed)) {
                return command(Draft.text(typed));
            }
            String text = input.isVerbatim() ? typed : Draft.text(typed);
            if (!text.isBlank()) {
                conversation.ask(text);
                answer();
            }
        } catch (TuttiException | UsageException | RefusedException e) {
            refuse(e.getMessage());
        }
        return true;
    }

    private void answer() {
        try {
            keep(stream());
        } catch (InvalidLogitsException e) {
            refuse(invalidOutput.line(e));
        } catch (ConversationTooLongException e) {
            refuse(e.getMessage() + " (/reset begins a new conversation, /compact forgets the oldest turns)");
        } catch (TuttiException e) {
            refuse(e.getMessage());
        }
    }

    /** Prints the answer as it is made, and ends its line, so that a note about it begins on the next. */
    private Answer stream() {
        try (AnswerPrinter printer = new AnswerPrinter(console, this::noteForgotten)) {
            return chat.answer(printer, this::stops);
        }
    }

    private void noteForgotten(int turns) {
        if (!rolled) {
            rolled = true;
            console.note("the room for " + chat.room() + " tokens is full: the oldest turns are forgotten, " + turns
                    + " now, and more from here on (--when-full roll)");
        }
    }

    private boolean stops() {
        return input.stopsAnswer() || console.interrupts().asked() || console.closed();
    }

    /** Makes the answer part of the conversation, and says what cut it short. */
    private void keep(Answer answer) {
        GenerationResult result = answer.result();
        if (answer.isTakenBack()) {
            console.note("stopped before an answer; the message is taken back");
            return;
        }
        last = Optional.of(answer);
        if (answer.isFull()) {
            console.note("the answer ends since the room for " + chat.room()
                    + " tokens is full; /reset begins a new conversation, /compact forgets the oldest turns");
        } else if (result.finish() == Finish.LENGTH) {
            console.note("the answer ends after " + result.tokens().length + " tokens; --max-tokens N allows more");
        }
    }

    private void refuse(String line) {
        refused = true;
        console.note("tutti: " + line);
    }

    private boolean command(String line) {
        String[] parts = line.strip().split("\\s+", 2);
        Command command = Command.of(parts[0])
                .orElseThrow(() -> new UsageException(
                        "unknown command " + OneLine.quote(parts[0]) + "; accepted: " + Command.words()));
        String argument = parts.length > 1 ? parts[1] : "";
        switch (command) {
            case HELP -> Command.help().forEach(console::note);
            case SYSTEM -> system(argument);
            case SET -> set(argument);
            case RESET -> reset();
            case COMPACT -> compact();
            case SAVE -> save(argument);
            case SEED -> seed(argument);
            case STATS -> console.note(last.map(this::stats).orElse("nothing has been answered yet"));
            case QUIT -> {
                return false;
            }
        }
        return true;
    }

    private void system(String text) {
        chat.system(text);
        console.note(text.isEmpty() ? "no system prompt" : "system prompt set");
    }

    private void reset() {
        conversation.reset();
        last = Optional.empty();
        rolled = false;
        console.note("a new conversation" + (conversation.hasSystem() ? ", with the system prompt" : ""));
    }

    private void compact() {
        int turns = conversation.turns();
        if (turns < 2) {
            console.note("there is no older turn to forget; /reset begins a new conversation");
            return;
        }
        int oldest = chat.compact();
        console.note(
                oldest > 0
                        ? "%d of %d turns are forgotten".formatted(oldest, turns)
                        : "half of the room for %d tokens is free already".formatted(chat.room()));
    }

    private void set(String argument) {
        if (argument.isEmpty()) {
            SetCommand.values(chat.settings()).forEach(console::note);
        } else if (argument.equals("system") || argument.startsWith("system ")) {
            system(argument.substring("system".length()).strip());
        } else {
            AnswerSettings before = chat.settings();
            AnswerSettings settings = SetCommand.change(before, argument);
            chat.set(settings);
            if (!settings.variables().equals(before.variables())) {
                ChatTemplates.noteUnused(chat.template(), settings.variables(), console);
            }
        }
    }

    private void save(String file) {
        if (file.isEmpty()) {
            throw new UsageException("/save names no file; accepted: /save FILE");
        }
        if (conversation.messages().isEmpty()) {
            throw new UsageException("/save has nothing to save yet; accepted: after a message");
        }
        Path target = path(file);
        checkTarget.accept(target);
        try {
            WholeOrNothing.requireFile(target);
            MessagesFile.write(target, conversation.messages());
        } catch (ModelException e) {
            throw new RefusedException(
                    "/save " + e.getMessage() + "; accepted: /save FILE with a file that can be written", e);
        }
        console.note(conversation.messages().size() + " messages in " + target);
    }

    private static Path path(String file) {
        try {
            return Path.of(file);
        } catch (InvalidPathException _) {
            throw UsageException.of("/save", OneLine.quote(file), "a path that this system can have");
        }
    }

    private void seed(String number) {
        Seed seed = Seed.parse("/seed", number);
        chat.set(chat.settings().withSeed(seed.value()));
        console.note("seed " + seed);
    }

    private String stats(Answer answer) {
        GenerationResult result = answer.result();
        int prompt = answer.request().prompt().length;
        return String.format(
                Locale.ROOT,
                "prompt %d tokens, %d of them in the cache already, the rest %.1f tokens/s; answer %d token%s%s;"
                        + " seed %s; %d of %d tokens used",
                prompt,
                result.reused(),
                result.prefillRate(prompt),
                result.tokens().length,
                result.tokens().length == 1 ? "" : "s",
                result.decodeRate() > 0 ? String.format(Locale.ROOT, ", %.1f tokens/s", result.decodeRate()) : "",
                Long.toUnsignedString(answer.request().seed()),
                answer.length(),
                chat.room());
    }
}
