package io.tutti.kv;

import java.util.List;
import java.util.function.BiConsumer;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.state.Action;
import net.jqwik.api.state.ActionChain;
import net.jqwik.api.state.Transformer;

class KvPoolModelTest {
    @Property(tries = 300)
    void noInterleavingOfCallsLosesOrDoublesABlock(@ForAll("calls") ActionChain<PoolModel> calls) {
        calls.withInvariant(PoolModel::check).run().close();
    }

    @Provide
    Arbitrary<ActionChain<PoolModel>> calls() {
        return Arbitraries.of(true, true, true, false).flatMap(KvPoolModelTest::calls);
    }

    private static Arbitrary<ActionChain<PoolModel>> calls(boolean prefixCache) {
        Arbitrary<Integer> which = Arbitraries.integers().between(0, PoolModel.BLOCKS - 1);
        Arbitrary<Integer> token = Arbitraries.integers().between(0, 3);
        Arbitrary<Integer> fill = Arbitraries.integers().between(0, 2);
        return ActionChain.startWith(() -> new PoolModel(prefixCache))
                .withAction(3, action("alloc", Arbitraries.integers().between(0, 3), PoolModel::alloc))
                .withAction(1, action("retain", which, PoolModel::retain))
                .withAction(4, action("release", which.list().ofMinSize(1).ofMaxSize(3), PoolModel::release))
                .withAction(1, action("setFill", pairs(which, fill), (model, p) -> model.setFill(p.get(0), p.get(1))))
                .withAction(
                        1, action("register", pairs(which, token), (model, p) -> model.register(p.get(0), p.get(1))))
                .withAction(4, action("fill and register", pairs(which, token), PoolModel::fillAndRegister))
                .withAction(3, action("lookup", token, PoolModel::lookup))
                .withAction(1, action("move", which, PoolModel::move))
                .withMaxTransformations(60);
    }

    private static Arbitrary<List<Integer>> pairs(Arbitrary<Integer> first, Arbitrary<Integer> second) {
        return Combinators.combine(first, second).as(List::of);
    }

    private static <T> Action<PoolModel> action(String name, Arbitrary<T> of, BiConsumer<PoolModel, T> call) {
        return (Action.Independent<PoolModel>) () ->
                of.map(t -> Transformer.mutate(name + " " + t, model -> call.accept(model, t)));
    }
}
