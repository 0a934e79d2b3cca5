package io.tutti.tornado.kernel;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.MethodModel;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * Loads this package anew, with {@link Fma} as a device runs it: TornadoVM fuses its sums of products, a JVM would not. So
 * the JVM runs the very bytecode of the kernels, and all that it runs differently is one class of two methods.
 */
final class FusedLoader extends ClassLoader {

    private static final String PACKAGE = Fma.class.getPackageName() + ".";

    FusedLoader() {
        super(FusedLoader.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(PACKAGE)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = in.readAllBytes();
            byte[] fused = name.equals(Fma.class.getName()) ? fuse(bytes) : bytes;
            return defineClass(name, fused, 0, fused.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private static byte[] fuse(byte[] bytes) {
        ClassFile file = ClassFile.of();
        return file.transformClass(file.parse(bytes), (builder, element) -> {
            if (element instanceof MethodModel method
                    && method.methodName().stringValue().equals("fma")) {
                builder.withMethodBody(
                        method.methodName(),
                        method.methodType(),
                        method.flags().flagsMask(),
                        code -> fma(code.fload(0).fload(1).fload(2)));
            } else if (element instanceof MethodModel method
                    && method.methodName().stringValue().equals("products")) {
                builder.withMethodBody(
                        method.methodName(),
                        method.methodType(),
                        method.flags().flagsMask(),
                        code -> fma(code.fload(0).fload(1).fload(2).fload(3).fmul()));
            } else {
                builder.with(element);
            }
        });
    }

    private static void fma(CodeBuilder code) {
        ClassDesc f = ConstantDescs.CD_float;
        code.invokestatic(ClassDesc.of("java.lang.Math"), "fma", MethodTypeDesc.of(f, f, f, f))
                .freturn();
    }
}
