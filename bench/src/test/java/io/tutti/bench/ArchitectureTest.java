package io.tutti.bench;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The arrows between the rooms: who may see whom, and which library belongs to which room. */
class ArchitectureTest {
    /** A module, its packages, and what they may use besides themselves and {@code java..}. */
    record Room(String module, String packages, List<String> mayUse) {
        Room(String module, String packages, String... mayUse) {
            this(module, packages, List.of(mayUse));
        }

        ArchRule keepsToItsArrows() {
            return classes()
                    .that()
                    .resideInAPackage(packages)
                    .should()
                    .onlyDependOnClassesThat(resideInAnyPackage(mayUse.toArray(String[]::new))
                            .or(resideInAnyPackage(packages, "java.."))
                            .as("are its own, Java's or in " + mayUse));
        }

        @Override
        public String toString() {
            return module;
        }
    }

    private static final String SAMPLE = "io.tutti.sample..";
    private static final String KV = "io.tutti.kv..";
    private static final String MODEL_IO = "io.tutti.modelio..";
    private static final String JINJA = "io.tutti.jinja..";
    private static final String CHAT = "io.tutti.chat..";
    private static final String HUB = "io.tutti.hub..";
    private static final String KEEP = "io.tutti.cli.keep..";
    private static final String ENGINE = "io.tutti.engine..";
    private static final String TORNADO_CONFIG = "io.tutti.tornado.config..";
    private static final String JACKSON = "com.fasterxml.jackson..";

    static final List<Room> ROOMS = List.of(
            new Room("sample", SAMPLE),
            new Room("kv", KV),
            new Room("model-io", MODEL_IO, JACKSON, "ai.djl.."),
            new Room("jinja", JINJA),
            new Room("chat", CHAT, JINJA, MODEL_IO),
            new Room("hub", HUB, MODEL_IO, JACKSON, "javax.net.ssl.."),
            new Room("engine", ENGINE, SAMPLE, KV, MODEL_IO, "jdk.incubator.vector..", "com.sun.management.."),
            new Room("tornado-config", TORNADO_CONFIG),
            new Room(
                    "tornado-kernels",
                    "io.tutti.tornado..",
                    ENGINE,
                    SAMPLE,
                    KV,
                    MODEL_IO,
                    "uk.ac.manchester.tornado.."),
            new Room(
                    "cli",
                    "io.tutti.cli..",
                    CHAT,
                    HUB,
                    ENGINE,
                    SAMPLE,
                    KV,
                    MODEL_IO,
                    TORNADO_CONFIG,
                    "picocli..",
                    "me.tongfei.progressbar..",
                    "org.jline..",
                    "org.knowm.xchart..",
                    "javax.imageio..",
                    JACKSON),
            new Room("bench", "io.tutti.bench..", "io.tutti..", "jdk.incubator.vector..", "org.openjdk.jmh.."));

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("jmh_generated"))
            .importPackages("io.tutti");

    @ParameterizedTest
    @FieldSource("ROOMS")
    void everyRoomUsesOnlyWhatItsArrowsReach(Room room) {
        room.keepsToItsArrows().allowEmptyShould(true).check(CLASSES);
    }

    @ParameterizedTest
    @FieldSource("ROOMS")
    void noRoomWithClassesIsOverlooked(Room room) throws IOException {
        Path compiled = Path.of(System.getProperty("tutti.home"), room.module, "target", "classes");
        boolean hasClasses = false;
        if (Files.isDirectory(compiled)) {
            try (Stream<Path> files = Files.walk(compiled)) {
                hasClasses = files.anyMatch(file -> file.toString().endsWith(".class"));
            }
        }
        if (hasClasses) {
            assertThat(CLASSES.that(resideInAPackage(room.packages))).isNotEmpty();
        }
    }

    @Test
    void anArrowAgainstTheGrainIsFound() {
        JavaClasses thisTest = new ClassFileImporter().importClasses(ArchitectureTest.class);

        assertThatThrownBy(() -> new Room("bench", "io.tutti.bench..", "com.tngtech..", "org.junit..")
                        .keepsToItsArrows()
                        .check(thisTest))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("org.assertj.core");
    }

    /**
     * What a connection to another machine is made with. URL is not among them: the native tokenizers are read from their jar
     * by one.
     */
    private static final DescribedPredicate<JavaClass> CONNECTIONS = resideInAnyPackage(
                    "java.net.http..", "javax.net..", "com.sun.net..", "java.rmi..")
            .or(belongToAnyOf(
                    Socket.class,
                    ServerSocket.class,
                    DatagramSocket.class,
                    HttpURLConnection.class,
                    InetAddress.class,
                    InetSocketAddress.class,
                    DatagramChannel.class,
                    AsynchronousSocketChannel.class))
            .as("open connections");

    /** What a kept model's socket file is opened with as well, which needs no address of a machine. */
    private static final DescribedPredicate<JavaClass> CHANNELS =
            belongToAnyOf(SocketChannel.class, ServerSocketChannel.class).as("open channels");

    private static ArchRule onlyTheHubOpensConnections() {
        return noClasses().that().resideOutsideOfPackage(HUB).should().dependOnClassesThat(CONNECTIONS);
    }

    private static ArchRule onlyTheHubAndAKeptModelOpenChannels() {
        return noClasses().that().resideOutsideOfPackages(HUB, KEEP).should().dependOnClassesThat(CHANNELS);
    }

    @Test
    void onlyTheHubOpensAConnection() {
        onlyTheHubOpensConnections().check(CLASSES);
        onlyTheHubAndAKeptModelOpenChannels().check(CLASSES);
    }

    @Test
    void aConnectionFromElsewhereIsFound() {
        JavaClasses thisTest = new ClassFileImporter().importClasses(ArchitectureTest.class);

        assertThatThrownBy(() -> onlyTheHubOpensConnections().check(thisTest))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("java.net.Socket");
        assertThatThrownBy(() -> onlyTheHubAndAKeptModelOpenChannels().check(thisTest))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("java.nio.channels.SocketChannel");
    }

    /** With vectors of two widths loaded, the JVM allocates them: see {@code Lanes}. The machine's own may be asked for. */
    private static ArchRule vectorsHaveOneWidth() {
        return noClasses()
                .that()
                .doNotHaveFullyQualifiedName("io.tutti.engine.host.kernel.Lanes")
                .should()
                .accessTargetWhere(target(owner(resideInAPackage("jdk.incubator.vector")))
                        .and(target(nameMatching("SPECIES_(\\d+|MAX)|of|ofLargestShape|withLanes|withShape")))
                        .as("its target chooses a width"));
    }

    @Test
    void kernelsTakeTheWidthOfTheirVectorsFromLanes() {
        vectorsHaveOneWidth().check(CLASSES);
    }

    @Test
    void aWidthChosenElsewhereIsFound() {
        JavaClasses thisTest = new ClassFileImporter().importClasses(ArchitectureTest.class);

        assertThat(VectorSpecies.of(float.class, VectorShape.S_128_BIT))
                .isEqualTo(FloatVector.SPECIES_128)
                .isEqualTo(VectorShape.S_128_BIT.withLanes(float.class));
        assertThatThrownBy(() -> vectorsHaveOneWidth().check(thisTest))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("SPECIES_128")
                .hasMessageContaining("VectorSpecies.of(")
                .hasMessageContaining("withLanes");
    }

    @Test
    void packagesFormNoCycles() {
        slices().matching("io.tutti.(**)")
                .should()
                .beFreeOfCycles()
                .allowEmptyShould(true)
                .check(CLASSES);
    }
}
