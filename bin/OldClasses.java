import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.constant.ClassDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Rewrites classes that were compiled for Java 5 or earlier as classes for Java 8, with the stack maps that those have. An AOT
 * cache holds no class without them, so that picocli's would be read and verified in every run.
 */
final class OldClasses {
    /** Java 6's, the first class files with stack maps. */
    private static final int FIRST_WITH_STACK_MAPS = 50;

    /** Java 8's. */
    private static final int NEW_VERSION = 52;

    private static final String CLASS = ".class";

    private OldClasses() {}

    /** Rewrites those in the jars of {@code folder}; a jar without any is left as it is. */
    static void renew(Path folder) throws IOException {
        List<Path> jars;
        try (Stream<Path> files = Files.list(folder)) {
            jars = files.filter(file -> file.toString().endsWith(".jar")).toList();
        }
        for (Path jar : jars) {
            renewJar(jar);
        }
    }

    private static void renewJar(Path jar) throws IOException {
        Path renewed = jar.resolveSibling(jar.getFileName() + ".new");
        try (ZipFile old = new ZipFile(jar.toFile())) {
            if (old.stream().noneMatch(entry -> isOld(old, entry))) {
                return;
            }
            ClassFile classes = ClassFile.of(
                    StackMapsOption.GENERATE_STACK_MAPS,
                    ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(type -> open(old, type))
                            .orElse(ClassHierarchyResolver.defaultResolver())));
            try (OutputStream file = Files.newOutputStream(renewed);
                    ZipOutputStream zip = new ZipOutputStream(file)) {
                for (ZipEntry entry : old.stream().toList()) {
                    byte[] content = read(old, entry);
                    zip.putNextEntry(new ZipEntry(entry.getName()));
                    zip.write(isOld(old, entry) ? renew(classes, content) : content);
                }
            }
        }
        Files.move(renewed, jar, StandardCopyOption.REPLACE_EXISTING);
    }

    private static boolean isOld(ZipFile jar, ZipEntry entry) {
        if (!entry.getName().endsWith(CLASS)) {
            return false;
        }
        return ClassFile.of().parse(read(jar, entry)).majorVersion() < FIRST_WITH_STACK_MAPS;
    }

    private static byte[] renew(ClassFile classes, byte[] old) {
        ClassModel model = classes.parse(old);
        MethodTransform writeCodeAgain = MethodTransform.transformingCode((code, element) -> code.with(element));
        ClassTransform newVersion = (builder, element) -> {
            switch (element) {
                case ClassFileVersion _ -> builder.withVersion(NEW_VERSION, 0);
                case MethodModel method -> builder.transformMethod(method, writeCodeAgain);
                default -> builder.with(element);
            }
        };
        try {
            return classes.transformClass(model, newVersion);
        } catch (IllegalArgumentException _) {
            return old; // Stack maps know no subroutines, which compilers made long ago.
        }
    }

    private static InputStream open(ZipFile jar, ClassDesc type) {
        String descriptor = type.descriptorString();
        ZipEntry entry = jar.getEntry(descriptor.substring(1, descriptor.length() - 1) + CLASS);
        try {
            return entry == null ? null : jar.getInputStream(entry);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] read(ZipFile jar, ZipEntry entry) {
        try (InputStream in = jar.getInputStream(entry)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
