package io.tutti.runtime;

import io.tutti.chat.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** What was said so far: perhaps a system prompt, then the messages in turn. */
public final class Conversation {

    private static final String SYSTEM = "system";
    private static final String USER = "user";
    private static final String ASSISTANT = "assistant";

    private Optional<Message> system = Optional.empty();
    private final List<Message> turns = new ArrayList<>();

    /** A conversation in which nothing was said yet. */
    public Conversation() {}

    /** A conversation that goes on from {@code messages}, the first of which may be a system prompt. */
    public Conversation(List<Message> messages) {
        turns.addAll(messages);
        if (!turns.isEmpty() && turns.getFirst().role().equals(SYSTEM)) {
            system = Optional.of(turns.removeFirst());
        }
    }

    /** All messages, the system prompt first. */
    public List<Message> messages() {
        List<Message> all = new ArrayList<>();
        system.ifPresent(all::add);
        all.addAll(turns);
        return all;
    }

    public boolean hasSystem() {
        return system.isPresent();
    }

    /** Whether the last word is not the assistant's, so that the assistant may speak. */
    public boolean awaitsAnswer() {
        return !turns.isEmpty() && !turns.getLast().role().equals(ASSISTANT);
    }

    /** Puts this system prompt in place of another, or none. */
    public void setSystem(Optional<String> text) {
        system = text.map(prompt -> Message.of(SYSTEM, prompt));
    }

    /** The user says {@code text}. */
    public void ask(String text) {
        turns.add(Message.of(USER, text));
    }

    /** The assistant says {@code text}. */
    public void answer(String text) {
        turns.add(Message.of(ASSISTANT, text));
    }

    /** How many turns there are: what the user says, with all that follows up to what the user says next. */
    public int turns() {
        return turnStarts().size();
    }

    /** Where turns begin among the messages after the system prompt. */
    private List<Integer> turnStarts() {
        return IntStream.range(0, turns.size())
                .filter(i -> isUser(i) && (i == 0 || !isUser(i - 1)))
                .boxed()
                .toList();
    }

    private boolean isUser(int message) {
        return turns.get(message).role().equals(USER);
    }

    /** All messages but those of the oldest turns, and those before any turn. */
    List<Message> without(int oldest) {
        List<Message> rest = new ArrayList<>(system.stream().toList());
        rest.addAll(turns.subList(begin(oldest), turns.size()));
        return rest;
    }

    /** Forgets the oldest turns, and what stands before them, but not the system prompt. */
    void forget(int oldest) {
        turns.subList(0, begin(oldest)).clear();
    }

    private int begin(int turn) {
        return turn == 0 ? 0 : turnStarts().get(turn);
    }

    /** Forgets the last message. */
    void takeBack() {
        turns.removeLast();
    }

    /** Forgets all but the system prompt. */
    public void reset() {
        turns.clear();
    }
}
