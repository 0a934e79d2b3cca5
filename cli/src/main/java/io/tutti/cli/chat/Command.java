package io.tutti.cli.chat;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What can be said to the chat itself, not to the model. */
enum Command {
    HELP("", "this list", "/?"),
    SYSTEM("TEXT", "the system prompt from here on; without TEXT none"),
    SET("NAME VALUE", "sets what --NAME says, such as /set temperature 0.7; /set alone shows all"),
    RESET("", "begins a new conversation; the system prompt stays", "/clear"),
    COMPACT("", "forgets the oldest turns until half of the room is free; the system prompt stays"),
    SAVE("FILE", "writes the conversation, for --messages FILE"),
    SEED("N", "the seed of the answers from here on; random: a fresh one"),
    STATS("", "how quick the last answer was, its seed, and how much room is left"),
    QUIT("", "leaves, as Ctrl-D does", "/bye", "/exit");

    private static final List<String> TYPING = List.of(
            "A line that ends with \\ goes on in the next, as after Alt-Enter; \"\"\" begins and ends a block of lines.",
            "Ctrl-C stops an answer; what was said so far stays. A message that begins with / takes a space before it.");

    private final String argument;
    private final String does;

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<String> otherWords;

    /** @param otherWords what others call it */
    Command(String argument, String does, String... otherWords) {
        this.argument = argument;
        this.does = does;
        this.otherWords = List.of(otherWords);
    }

    String word() {
        return "/" + name().toLowerCase(Locale.ROOT);
    }

    /** The command whose word this is. */
    static Optional<Command> of(String word) {
        return Arrays.stream(values())
                .filter(command -> command.word().equals(word) || command.otherWords.contains(word))
                .findFirst();
    }

    /** All words, for messages. */
    static String words() {
        return Arrays.stream(values()).map(Command::word).collect(Collectors.joining(", "));
    }

    /** Lines that say what there is. */
    static List<String> help() {
        return Stream.concat(
                        Arrays.stream(values())
                                .map(command ->
                                        "  %-15s %s".formatted(command.word() + " " + command.argument, command.does)),
                        TYPING.stream())
                .toList();
    }
}
