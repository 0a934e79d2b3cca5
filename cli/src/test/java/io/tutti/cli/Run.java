package io.tutti.cli;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tutti.cli.bench.FreshProcess;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.Interrupts;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a command line did, run in this JVM. */
record Run(int exitCode, String out, String err) {

    /** golden/models. */
    static final Path MODELS = Path.of(System.getProperty("tutti.golden")).resolve("models");

    static final String TINY = model("tiny-llama");

    static String model(String name) {
        return MODELS.resolve(name).toString();
    }

    static Run of(String... args) {
        return with(new byte[0], args);
    }

    static Run with(byte[] input, String... args) {
        return with(input, new ByteArrayOutputStream(), new Interrupts(), args);
    }

    /** @param out what standard output is written to; its text is that of {@link #out} */
    static Run with(byte[] input, OutputStream out, Interrupts interrupts, String... args) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(new ByteArrayInputStream(input), out, err, false, interrupts);
        int code = Main.run(console, FreshProcess.ofJvm(Main.class, interrupts), args);
        return new Run(code, out.toString(), err.toString(StandardCharsets.UTF_8));
    }

    static Run of(List<String> args, String... more) {
        List<String> all = new ArrayList<>(args);
        all.addAll(List.of(more));
        return of(all.toArray(String[]::new));
    }

    /** Standard output as the one JSON object that it must be. */
    JsonNode json() {
        try {
            return new ObjectMapper()
                    .reader()
                    .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .readTree(out);
        } catch (IOException e) {
            throw new UncheckedIOException(out, e);
        }
    }

    static int[] ints(JsonNode array) {
        int[] values = new int[array.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = array.get(i).intValue();
        }
        return values;
    }
}
