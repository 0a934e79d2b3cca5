package io.tutti.tornado.kernel;

import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The plain-Java siblings: every kernel's own bytecode on the JVM, but for {@link Fma}, has the reference's bits. */
class KernelsOnJvmTest {

    @TestFactory
    @SuppressWarnings("unchecked")
    Stream<DynamicTest> kernelsHaveTheReferencesBitsOnTheJvm() throws ReflectiveOperationException {
        Class<?> checks = new FusedLoader().loadClass(Checks.class.getName());
        return ((Supplier<Stream<DynamicTest>>) checks.getDeclaredConstructor().newInstance()).get();
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
