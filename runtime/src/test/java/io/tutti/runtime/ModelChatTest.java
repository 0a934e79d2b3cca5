package io.tutti.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tutti.chat.Message;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.safetensors.SafetensorsWriter;
import io.tutti.modelio.safetensors.SafetensorsWriter.Declaration;
import io.tutti.runtime.generate.GenerationRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A chat with a bigram that goes on with the alphabet after the last letter of the prompt, and ends after z. */
class ModelChatTest {

    private static final int VOCAB = 128;
    private static final int CONTEXT = 64;

    @TempDir
    Path dir;

    @BeforeEach
    void write() throws IOException {
        Files.writeString(dir.resolve("config.json"), """
                {"tl_arch": "bigram", "tl_tokenizer": "byte", "vocab_size": %d, "max_position_embeddings": %d,
                 "eos_token_id": %d}
                """.formatted(VOCAB, CONTEXT, (int) '.'));
        Files.writeString(
                dir.resolve("chat_template.jinja"),
                "{% for m in messages %}{{ m.role[0] }}:{{ m.content }}{% endfor %}{{ end | default('') }}");
        float[] table = new float[VOCAB * VOCAB];
        for (int token = 0; token < VOCAB; token++) {
            table[token * VOCAB + (token >= 'a' && token < 'z' ? token + 1 : '.')] = 8;
        }
        SafetensorsWriter.write(
                dir.resolve("model.safetensors"),
                Map.of(),
                List.of(new Declaration("bigram.weight", Dtype.F32, List.of((long) VOCAB, (long) VOCAB))),
                writer -> writer.put("bigram.weight", 0, table));
    }

    private Model open() {
        return Model.open(dir, ModelOptions.builder().device("host").threads(1).build());
    }

    @Test
    void aConversationKeepsWhatIsSaid() {
        try (Model model = open()) {
            Chat chat = model.chat().system("s");
            assertThat(chat.say("w").text()).isEqualTo("xyz");
            assertThat(chat.say("x").text()).isEqualTo("yz");
            assertThat(chat.conversation().messages())
                    .extracting(message -> message.fields().get("content"))
                    .containsExactly("s", "w", "xyz", "x", "yz");
        }
    }

    @Test
    void aRequestOfMessagesGivesTheSameAnswer() {
        try (Model model = open()) {
            GenerationRequest request =
                    model.request().messages(List.of(Message.of("user", "w"))).build();
            assertThat(model.generate(request).text())
                    .isEqualTo(model.chat().say("w").text());
            GenerationRequest other = model.request()
                    .messages(List.of(Message.of("user", "w")))
                    .templateVariable("end", "y")
                    .build();
            assertThat(model.generate(other).text()).isEqualTo("z");
        }
    }

    @Test
    void aConversationThatIsTooLongIsRefusedAndTakenBack() {
        try (Model model = open()) {
            Chat chat = model.chat();
            assertThatThrownBy(() -> chat.say("w".repeat(CONTEXT)))
                    .isInstanceOf(ConversationTooLongException.class)
                    .hasMessage("the conversation has at least 66 tokens; accepted: fewer than 64,"
                            + " to leave room for an answer");
            assertThat(chat.conversation().messages()).isEmpty();
            assertThat(chat.say("w").text()).isEqualTo("xyz");
        }
    }

    @Test
    void aFullConversationForgetsItsOldestTurnsWhereThatIsWanted() {
        try (Model model = open()) {
            Chat chat = model.chat();
            chat.set(chat.settings().withWhenFull(WhenFull.ROLL));
            List<Integer> forgotten = new ArrayList<>();
            ChatListener listener = new ChatListener() {
                @Override
                public void forgot(int turns) {
                    forgotten.add(turns);
                }
            };
            for (int i = 0; i < 8; i++) {
                assertThat(chat.say("v", listener, () -> false).text()).isEqualTo("wxyz");
            }
            assertThat(forgotten).isNotEmpty();
            assertThat(chat.conversation().turns()).isLessThan(8);
        }
    }

    @Test
    void anAnswerThatIsCancelledAtOnceTakesItsMessageBack() {
        try (Model model = open()) {
            Chat chat = model.chat();
            assertThat(chat.say("w", ChatListener.NONE, () -> true).isTakenBack())
                    .isTrue();
            assertThat(chat.conversation().messages()).isEmpty();
        }
    }
}
