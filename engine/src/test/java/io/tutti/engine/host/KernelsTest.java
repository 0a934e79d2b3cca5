package io.tutti.engine.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.List;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KernelsTest {

    @Test
    void kernelsEqualTheReferenceBitForBit() {
        new KernelChecks().run();
    }

    @Test
    void biasesAndNormsOfHeadsEqualTheReferenceBitForBit() {
        new LayerChecks().run();
    }

    @ParameterizedTest
    @ValueSource(ints = {128, 256, 512})
    void kernelsEqualTheReferenceAtEveryVectorWidth(int bits) throws ReflectiveOperationException {
        Vectors loader = new Vectors(bits);
        assertThat(lanes(loader)).isEqualTo(bits / Float.SIZE);
        for (Class<?> here : List.of(KernelChecks.class, LayerChecks.class)) {
            Class<?> checks = loader.loadClass(here.getName());
            assertThat(checks).isNotEqualTo(here);
            ((Runnable) checks.getConstructor().newInstance()).run();
        }
    }

    @Test
    void theMachinesOwnWidthIsUsed() throws ReflectiveOperationException {
        assertThat(lanes(getClass().getClassLoader())).isEqualTo(Math.min(16, FloatVector.SPECIES_PREFERRED.length()));
    }

    private static int lanes(ClassLoader loader) throws ReflectiveOperationException {
        Field field = loader.loadClass("io.tutti.engine.host.kernel.Lanes").getDeclaredField("FLOATS");
        field.setAccessible(true);
        return ((VectorSpecies<?>) field.get(null)).length();
    }
}
