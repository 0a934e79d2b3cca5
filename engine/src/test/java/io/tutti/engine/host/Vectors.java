package io.tutti.engine.host;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.instruction.FieldInstruction;

/**
 * Loads the host backend once more as if the machine preferred vectors of a given width. What the JVM prefers is a constant
 * that kernels are compiled from, so another width takes other classes.
 */
final class Vectors extends ClassLoader {

    private static final String BACKEND = "io.tutti.engine.host.";

    private final String species;

    /** @param bits 128, 256 or 512; the JVM emulates what the machine has not */
    Vectors(int bits) {
        super(Vectors.class.getClassLoader());
        species = "SPECIES_" + bits;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(BACKEND)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            ClassFile classFile = ClassFile.of();
            byte[] bytes = classFile.transformClass(
                    classFile.parse(in.readAllBytes()), ClassTransform.transformingMethodBodies(preferred()));
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private CodeTransform preferred() {
        return (builder, element) -> {
            if (element instanceof FieldInstruction field
                    && field.name().equalsString("SPECIES_PREFERRED")
                    && field.owner().asInternalName().startsWith("jdk/incubator/vector/")) {
                builder.getstatic(field.owner().asSymbol(), species, field.typeSymbol());
            } else {
                builder.with(element);
            }
        };
    }
}
