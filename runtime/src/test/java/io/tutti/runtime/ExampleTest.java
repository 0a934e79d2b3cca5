package io.tutti.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.golden.Golden;
import io.tutti.engine.host.VectorApi;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example in the Javadoc of {@link Model} and in the README, as a program of its own. */
class ExampleTest {

    private static final Path HOME = Path.of(System.getProperty("tutti.home"));
    private static final Path MODEL_JAVA = HOME.resolve("runtime/src/main/java/io/tutti/runtime/Model.java");
    private static final Pattern SNIPPET =
            Pattern.compile("\\{@snippet :\\n(.*?\\n \\* }\\n) \\* }\\n", Pattern.DOTALL);
    private static final String DEMO = new Golden.Model("demo").dir().toString();

    @TempDir
    Path dir;

    private static String example() throws IOException {
        Matcher snippet = SNIPPET.matcher(Files.readString(MODEL_JAVA));
        assertThat(snippet.find()).isTrue();
        return snippet.group(1)
                        .lines()
                        .map(line -> line.replaceFirst("^ \\* ?", ""))
                        .collect(Collectors.joining("\n"))
                + "\n";
    }

    @Test
    void theReadmeHasTheSameExample() throws IOException {
        assertThat(Files.readString(HOME.resolve("README.md"))).contains("```java\n" + example() + "```");
    }

    /** The bits do not depend on the Vector API: neither the text nor, below, any logit. */
    @Test
    void itRunsWithAndWithoutTheVectorApi() throws Exception {
        compile(example());
        Output with = run(List.of("--add-modules", "jdk.incubator.vector"), DEMO);
        Output without = run(List.of(), DEMO);

        assertThat(with.text()).isNotBlank();
        assertThat(without.text()).isEqualTo(with.text());
        assertThat(with.errors()).contains("device ").doesNotContain(VectorApi.ADVICE);
        assertThat(without.errors().lines()).containsOnlyOnce(VectorApi.ADVICE);
    }

    @Test
    void itSaysInOneLineWhatIsRefused() throws Exception {
        compile(example());
        Output output = run(List.of(), "no/such/model/here");
        assertThat(output.text()).isEmpty();
        assertThat(output.errors()).startsWith("no/such/model/here: no such directory; accepted: ");
        assertThat(output.errors().lines()).hasSize(1);
    }

    private void compile(String source) throws IOException {
        Path file = Files.writeString(dir.resolve("Example.java"), source);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter problems = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of(
                    "-cp", System.getProperty("java.class.path"), "-d", dir.toString(), "-Xlint:all,-path", "-Werror");
            boolean compiled = compiler.getTask(problems, files, null, options, null, files.getJavaFileObjects(file))
                    .call();
            assertThat(compiled).as(problems.toString()).isTrue();
        }
    }

    private record Output(String text, String errors) {}

    private Output run(List<String> flags, String model) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                dir + System.getProperty("path.separator") + System.getProperty("java.class.path"),
                "Example",
                model));
        Path text = dir.resolve("text");
        Path errors = dir.resolve("errors");
        Process process = new ProcessBuilder(command)
                .redirectOutput(text.toFile())
                .redirectError(errors.toFile())
                .start();
        int code = process.waitFor();
        String said = Files.readString(errors, StandardCharsets.UTF_8);
        assertThat(code).as(said).isZero();
        return new Output(Files.readString(text, StandardCharsets.UTF_8), said);
    }
}
