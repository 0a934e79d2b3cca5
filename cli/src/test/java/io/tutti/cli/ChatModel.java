package io.tutti.cli;

import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.safetensors.SafetensorsWriter;
import io.tutti.modelio.safetensors.SafetensorsWriter.Declaration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A model whose every word is known: it goes on with the alphabet after the last letter of the prompt. Small letters end
 * after z, capitals never.
 */
public final class ChatModel {

    private static final int VOCAB = 256;
    private static final int END = '.';

    /** Roles and contents one after the other, so that the last message's last letter is the prompt's. */
    private static final String TEMPLATE =
            "{% for message in messages %}{{ message['role'] }}|{{ message['content'] }}{% endfor %}";

    private ChatModel() {}

    /** Writes it to {@code folder}, with this many tokens of context. */
    public static Path write(Path folder, int context) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("config.json"), """
                {"tl_arch": "bigram", "tl_tokenizer": "byte", "vocab_size": %d, "max_position_embeddings": %d,
                 "eos_token_id": %d}
                """.formatted(VOCAB, context, END));
        template(folder, TEMPLATE);
        float[] table = new float[VOCAB * VOCAB];
        for (int token = 0; token < VOCAB; token++) {
            table[token * VOCAB + next(token)] = 8;
        }
        SafetensorsWriter.write(
                folder.resolve("model.safetensors"),
                Map.of(),
                List.of(new Declaration("bigram.weight", Dtype.F32, List.of((long) VOCAB, (long) VOCAB))),
                writer -> writer.put("bigram.weight", 0, table));
        return folder;
    }

    static void template(Path folder, String template) throws IOException {
        Files.writeString(folder.resolve("chat_template.jinja"), template);
    }

    private static int next(int token) {
        if ((token >= 'a' && token < 'z') || (token >= 'A' && token < 'Z')) {
            return token + 1;
        }
        return token == 'Z' ? 'A' : END;
    }
}
