package io.tutti.tornado.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The plain-Java siblings: every kernel's own bytecode on the JVM, but for {@link Fma}, has the reference's bits. */
class KernelsOnJvmTest {

    @TestFactory
    @SuppressWarnings("unchecked")
    Stream<DynamicTest> kernelsHaveTheReferencesBitsOnTheJvm() throws ReflectiveOperationException {
        Class<?> checks = new FusedLoader().loadClass(Checks.class.getName());
        return ((Supplier<Stream<DynamicTest>>) checks.getDeclaredConstructor().newInstance()).get();
    }

    @Test
    void loadedForTheJvmSumsOfProductsFuse() throws ReflectiveOperationException {
        Class<?> fused = new FusedLoader().loadClass(Fma.class.getName());
        Method fma = fused.getDeclaredMethod("fma", float.class, float.class, float.class);
        Method products = fused.getDeclaredMethod("products", float.class, float.class, float.class, float.class);
        fma.setAccessible(true);
        products.setAccessible(true);
        float a = 1 + 0x1p-12f;
        float b = 1 + 0x1p-13f;
        assertThat(fma.invoke(null, a, a, -1f)).isEqualTo(Math.fma(a, a, -1f)).isNotEqualTo(a * a - 1f);
        assertThat(products.invoke(null, a, a, -b, b))
                .isEqualTo(Math.fma(a, a, -b * b))
                .isNotEqualTo(Math.fma(-b, b, a * a))
                .isNotEqualTo(a * a + -b * b);
    }

    /** The checks as the loader sees them. */
    public static final class Checks implements Supplier<Stream<DynamicTest>> {
        @Override
        public Stream<DynamicTest> get() {
            return Check.all()
                    .map(check -> DynamicTest.dynamicTest(
                            check.name(), () -> check.body().accept(new JvmRunner())));
        }
    }
}
