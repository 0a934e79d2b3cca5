package io.tutti.engine.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.tutti.engine.golden.Golden.Model;
import io.tutti.engine.graph.Activations;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.runner.KernelTraining.Kind;
import io.tutti.kv.KvDtype;
import io.tutti.modelio.dtype.Dtype;
import io.tutti.modelio.weights.WeightFormat;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KernelTrainingTest {

    @ParameterizedTest
    @EnumSource
    void everyKindOfWeightAndActivationIsThereForTheCache(KvDtype kv) {
        assertThat(KernelTraining.kinds())
                .filteredOn(kind -> kind.engine().kvDtype() == kv)
                .extracting(Kind::weights)
                .contains(Arrays.stream(Dtype.values())
                        .filter(Dtype::isWeight)
                        .map(WeightFormat.Dense::new)
                        .toArray(WeightFormat[]::new));
        assertThat(KernelTraining.kinds())
                .filteredOn(kind -> kind.engine().kvDtype() == kv && kind.weights() instanceof WeightFormat.Int4)
                .extracting(kind -> kind.engine().activations())
                .containsExactlyInAnyOrder(Activations.values());
    }

    /** What fails here would leave the launcher without its AOT cache, and unseen. */
    @Test
    void allOfThemRun() {
        ModelConfig config = ModelConfig.load(new Model("demo").dir());
        assertThatCode(() -> KernelTraining.run(config)).doesNotThrowAnyException();
    }
}
