package io.tutti.jinja;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program in the package's Javadoc, compiled and run as a reader would: with java, and this module alone. */
class ExampleTest {
    private static final Pattern SNIPPET = Pattern.compile("\\{@snippet :\n(.*?\n}\n)}\n", Pattern.DOTALL);
    private static final Pattern OUTPUT = Pattern.compile("It prints \\{@code (.*)} and then \\{@code (.*)}\\.\n");

    @TempDir
    Path directory;

    @Test
    void thePackagesExampleCompilesAndPrintsWhatItsJavadocSays() throws Exception {
        String javadoc = javadoc();
        Path program = Files.writeString(
                directory.resolve("Example.java"), only(SNIPPET, javadoc).group(1));
        Path output = directory.resolve("output");
        Process java = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dstdout.encoding=UTF-8",
                        "-cp",
                        classes().toString(),
                        program.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();

        int status = java.waitFor();

        Matcher stated = only(OUTPUT, javadoc);
        assertThat(Files.readString(output, StandardCharsets.UTF_8).lines().map(String::strip))
                .containsExactly(stated.group(1), stated.group(2));
        assertThat(status).isZero();
    }

    private static Matcher only(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.find()).as("%s", pattern).isTrue();
        return matcher;
    }

    /** The package's comment without its stars. */
    private static String javadoc() throws IOException {
        Path source = Path.of(System.getProperty("tutti.home"), "jinja/src/main/java/io/tutti/jinja/package-info.java");
        return Files.readAllLines(source).stream()
                .map(line -> line.replaceFirst("^ \\* ?", ""))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private static Path classes() throws URISyntaxException {
        return Path.of(Template.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }
}
