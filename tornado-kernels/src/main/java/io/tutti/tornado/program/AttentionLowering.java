package io.tutti.tornado.program;

import io.tutti.engine.graph.Op;
import io.tutti.engine.numerics.Numerics;
import io.tutti.kv.KvConfig;
import io.tutti.kv.KvPart;
import io.tutti.tornado.kernel.Attention;
import io.tutti.tornado.kernel.AttentionCombine;
import io.tutti.tornado.kernel.Rotate;
import io.tutti.tornado.kernel.WriteKv;
import io.tutti.tornado.program.FusedOp.Rotation;
import java.util.List;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;
import uk.ac.manchester.tornado.api.types.arrays.IntArray;
import uk.ac.manchester.tornado.api.types.arrays.ShortArray;
import uk.ac.manchester.tornado.api.types.arrays.TornadoNativeArray;

/** Turns the ops that have to do with positions and the cache into launches of kernels. */
final class AttentionLowering {

    private final Workspace workspace;
    private final ValuesLayout layout;
    private final KvConfig config;
    private final KernelContext context;
    private final IntArray step;
    private final IntArray layer;
    private final IntArray launches;
    private final FloatArray values;
    private final FloatArray tables;

    AttentionLowering(Workspace workspace, ValuesLayout layout) {
        this.workspace = workspace;
        this.layout = layout;
        config = workspace.cache().config();
        context = workspace.context();
        step = workspace.step();
        layer = workspace.layer();
        launches = workspace.launches();
        values = workspace.values();
        tables = workspace.tables();
    }

    Launch rotate(Rotation op) {
        int task = workspace.nextTask();
        String name = Launch.name(op.name(), task);
        View x = layout.of(op.xs().getFirst());
        int pairs = op.rope().headDim() / 2;
        FloatArray angles = workspace.angles(op.rope()).array();
        return new Launch(
                name,
                task,
                graph -> graph.task(
                        name, Rotate::pairs, context, step, launches, values, angles, x.at(), x.stride(), pairs, task),
                shape -> Rotate.grid(Math.max(1, shape.tokens()), op.heads(), pairs),
                List.of(angles));
    }

    Launch writeKv(Section section, Op.WriteKv op) {
        int task = workspace.nextTask();
        String name = Launch.name("WriteKv", task);
        View k = layout.of(op.k());
        View v = layout.of(op.v());
        TornadoNativeArray keys = workspace.cache().of(section.firstLayer().orElseThrow(), KvPart.K);
        TornadoNativeArray slabValues =
                workspace.cache().of(section.firstLayer().orElseThrow(), KvPart.V);
        int kvHeads = config.kvHeads();
        int headDim = config.headDim();
        int block = config.blockTokens();
        int most = workspace.maxTokens();
        return new Launch(
                name,
                task,
                graph -> switch (config.dtype()) {
                    case F16 ->
                        graph.task(
                                name,
                                WriteKv::f16,
                                context,
                                step,
                                layer,
                                launches,
                                values,
                                (ShortArray) keys,
                                (ShortArray) slabValues,
                                tables,
                                k.at(),
                                k.stride(),
                                v.at(),
                                v.stride(),
                                kvHeads,
                                headDim,
                                block,
                                most,
                                task);
                    case F32 ->
                        graph.task(
                                name,
                                WriteKv::f32,
                                context,
                                step,
                                layer,
                                launches,
                                values,
                                (FloatArray) keys,
                                (FloatArray) slabValues,
                                tables,
                                k.at(),
                                k.stride(),
                                v.at(),
                                v.stride(),
                                kvHeads,
                                headDim,
                                block,
                                most,
                                task);
                },
                shape -> WriteKv.grid(Math.max(1, shape.tokens()), kvHeads, headDim),
                List.of(layer, tables));
    }

    Launch attend(Section section, Op.Attention op) {
        int task = workspace.nextTask();
        String name = Launch.name("Attention", task);
        View q = layout.of(op.q());
        TornadoNativeArray keys = workspace.cache().of(section.firstLayer().orElseThrow(), KvPart.K);
        TornadoNativeArray slabValues =
                workspace.cache().of(section.firstLayer().orElseThrow(), KvPart.V);
        float scale = Numerics.attentionScale(op.headDim());
        int block = config.blockTokens();
        int most = workspace.maxTokens();
        int capacity = layout.segments();
        int partials = layout.partials();
        return new Launch(
                name,
                task,
                graph -> switch (config.dtype()) {
                    case F16 ->
                        graph.task(
                                name,
                                Attention::f16,
                                context,
                                step,
                                layer,
                                launches,
                                values,
                                (ShortArray) keys,
                                (ShortArray) slabValues,
                                tables,
                                scale,
                                op.heads(),
                                op.kvHeads(),
                                op.headDim(),
                                op.window(),
                                block,
                                most,
                                capacity,
                                q.at(),
                                q.stride(),
                                partials,
                                task);
                    case F32 ->
                        graph.task(
                                name,
                                Attention::f32,
                                context,
                                step,
                                layer,
                                launches,
                                values,
                                (FloatArray) keys,
                                (FloatArray) slabValues,
                                tables,
                                scale,
                                op.heads(),
                                op.kvHeads(),
                                op.headDim(),
                                op.window(),
                                block,
                                most,
                                capacity,
                                q.at(),
                                q.stride(),
                                partials,
                                task);
                },
                shape -> Attention.grid(Math.max(1, shape.tokens()), op.heads(), Math.max(1, shape.segments())),
                List.of(layer, tables));
    }

    Launch combine(Op.Attention op) {
        int task = workspace.nextTask();
        String name = Launch.name("AttentionCombine", task);
        View out = layout.of(op.out());
        int capacity = layout.segments();
        int partials = layout.partials();
        return new Launch(
                name,
                task,
                graph -> graph.task(
                        name,
                        AttentionCombine::heads,
                        context,
                        step,
                        launches,
                        values,
                        tables,
                        op.heads(),
                        op.headDim(),
                        op.window(),
                        workspace.maxTokens(),
                        capacity,
                        partials,
                        out.at(),
                        out.stride(),
                        task),
                shape -> AttentionCombine.grid(Math.max(1, shape.tokens()), op.heads(), op.headDim()),
                List.of(tables));
    }
}
