package io.tutti.engine.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tutti.engine.backend.BackendOptions;
import io.tutti.engine.backend.Device;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.backend.LoadProgress;
import io.tutti.engine.golden.Golden;
import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.golden.Golden.Prompt;
import io.tutti.engine.golden.Runs;
import io.tutti.engine.graph.Activations;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.ModelRunner;
import io.tutti.kv.KvDtype;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A JVM without the Vector API, in a process of its own, computes golden's logits bit for bit. */
class PlainProgramTest {

    @Test
    void withoutTheVectorApiEveryGoldenModelHasTheSameBits() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-Dtutti.golden=" + System.getProperty("tutti.golden"),
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output;
        try (var reader = process.inputReader()) {
            output = String.join("\n", reader.lines().toList());
        }
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output.lines().toList()).last().asString().matches("[1-9][0-9]* models, [1-9][0-9]* prompts");
    }

    @Test
    void withTheVectorApiTheHostSaysNothing() {
        assertThat(VectorApi.PRESENT).isTrue();
        assertThat(Runs.host(1).note()).isEmpty();
    }

    /** What runs in the other JVM. */
    static final class Child {
        private Child() {}

        public static void main(String[] args) {
            Device host = Devices.all(new BackendOptions(3)).getFirst();
            require(host.name().equals("host"), "the host is " + host.name());
            require(host.note().equals(Optional.of(VectorApi.ADVICE)), "its note is " + host.note());
            require(host.properties().equals(List.of("no vectors")), "its properties are " + host.properties());
            int prompts = 0;
            List<Model> models = Golden.models().toList();
            for (Model model : models) {
                for (KvDtype kv : KvDtype.values()) {
                    prompts += compare(model, EngineConfig.defaults().withKvDtype(kv), "", host);
                }
            }
            for (KvDtype kv : KvDtype.values()) {
                EngineConfig int8 = EngineConfig.defaults().withKvDtype(kv).withActivations(Activations.INT8);
                prompts += compare(new Model("tiny-int4"), int8, "_int8", host);
            }
            System.out.println(models.size() + " models, " + prompts + " prompts");
        }

        private static int compare(Model model, EngineConfig config, String suffix, Device host) {
            String cache = config.kvDtype().name().toLowerCase(Locale.ROOT);
            try (ModelRunner runner =
                    ModelRunner.load(model.dir(), config.withMaxBatchTokens(7), host, LoadProgress.NONE)) {
                for (Prompt prompt : model.prompts()) {
                    float[] want = model.reference("p" + prompt.index() + ".logits_" + cache + suffix);
                    float[] got = Runs.logits(runner, prompt.tokens());
                    float[] rows = Arrays.copyOfRange(got, got.length - want.length, got.length);
                    require(
                            Arrays.equals(Runs.bits(rows), Runs.bits(want)),
                            model + ", " + cache + suffix + ", prompt " + prompt.index() + " has other bits");
                }
                return model.prompts().size();
            }
        }

        private static void require(boolean is, String problem) {
            if (!is) {
                throw new IllegalStateException(problem);
            }
        }
    }
}
