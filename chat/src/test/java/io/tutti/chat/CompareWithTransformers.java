package io.tutti.chat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tutti.chat.TemplateFiles.Source;
import io.tutti.jinja.Limits;
import io.tutti.modelio.json.PlainJson;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Renders the cases that bench/templates/reference.py wrote, and prints where the outcome is not transformers'. */
final class CompareWithTransformers {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Of one template: how many conversations came out the same, were refused by both, and what is left. */
    private static final class Tally {
        int equal;
        int raised;
        int different;
    }

    private CompareWithTransformers() {}

    public static void main(String[] args) throws IOException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        Map<String, Tally> tallies = new TreeMap<>();
        long start = System.nanoTime();
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            JsonNode reference = JSON.readTree(line);
            Tally tally = tallies.computeIfAbsent(reference.get("template").asText(), _ -> new Tally());
            JsonNode expected = reference.get("expected");
            String text = null;
            String error = null;
            try {
                text = render(reference, line);
            } catch (ChatTemplateException e) {
                error = e.getMessage();
            }
            if (expected.has("text") && expected.get("text").asText().equals(text)) {
                tally.equal++;
            } else if (expected.has("error") && error != null && sameWords(expected, error)) {
                tally.raised++;
            } else {
                tally.different++;
                describe(out, reference, text, error);
            }
        }
        print(out, tallies);
        out.printf("%d ms in all%n", (System.nanoTime() - start) / 1_000_000);
        if (tallies.values().stream().anyMatch(tally -> tally.different > 0)) {
            System.exit(1);
        }
    }

    /** What a template raises itself has to be in our message; Python's own errors need not have Python's words. */
    private static boolean sameWords(JsonNode expected, String error) {
        boolean ofTemplate = expected.get("error_type").asText().equals("TemplateError");
        String words = expected.get("error").asText().lines().findFirst().orElse("");
        return !ofTemplate || error.contains(words.substring(0, Math.min(250, words.length())));
    }

    private static String render(JsonNode reference, String line) {
        Map<String, Object> fields = PlainJson.object(
                Path.of("case"), line.getBytes(StandardCharsets.UTF_8), key -> !key.equals("expected"));
        Source source = new Source((String) fields.get("template"), (String) fields.get("source"));
        Map<String, String> tokens = JSON.convertValue(reference.get("special_tokens"), new TypeReference<>() {});
        Clock clock =
                Clock.fixed(LocalDateTime.parse((String) fields.get("now")).toInstant(ZoneOffset.UTC), ZoneOffset.UTC);
        TemplateFiles files = new TemplateFiles(Map.of(TemplateFiles.DEFAULT, source), tokens);
        return new ChatTemplate(files, clock, Limits.DEFAULT)
                .render(
                        maps(fields.get("messages")).stream().map(Message::new).toList(),
                        maps(fields.get("tools")),
                        (Boolean) fields.get("add_generation_prompt"),
                        map(fields.get("variables")));
    }

    @SuppressWarnings("unchecked") // PlainJson's objects have text for keys.
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked") // The file holds lists of objects here.
    private static List<Map<String, Object>> maps(Object value) {
        return (List<Map<String, Object>>) value;
    }

    private static void describe(PrintStream out, JsonNode reference, String text, String error) {
        JsonNode expected = reference.get("expected");
        String want = expected.has("text")
                ? expected.get("text").asText()
                : "raises " + expected.get("error").asText();
        String got = text != null ? text : "raises " + error;
        int same = 0;
        while (same < Math.min(want.length(), got.length()) && want.charAt(same) == got.charAt(same)) {
            same++;
        }
        out.printf(
                "%s, %s, at character %d%n  transformers: %s%n  tutti:        %s%n",
                reference.get("template").asText(),
                reference.get("conversation").asText(),
                same,
                around(want, same),
                around(got, same));
    }

    private static String around(String text, int at) {
        String part = text.substring(Math.max(0, at - 30), Math.min(text.length(), at + 70));
        return JSON.getNodeFactory().textNode(part).toString();
    }

    private static void print(PrintStream out, Map<String, Tally> tallies) {
        Tally all = new Tally();
        out.printf("%-60s %6s %12s %10s%n", "template", "equal", "both refuse", "different");
        tallies.forEach((template, tally) -> {
            out.printf("%-60s %6d %12d %10d%n", template, tally.equal, tally.raised, tally.different);
            all.equal += tally.equal;
            all.raised += tally.raised;
            all.different += tally.different;
        });
        long whole =
                tallies.values().stream().filter(tally -> tally.different == 0).count();
        out.printf("%-60s %6d %12d %10d%n", "all", all.equal, all.raised, all.different);
        out.printf("%d of %d templates without a difference%n", whole, tallies.size());
    }
}
