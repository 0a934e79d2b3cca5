package io.tutti.tornado.program;

import io.tutti.engine.graph.Op;
import io.tutti.tornado.program.FusedOp.HeadNorms;
import io.tutti.tornado.program.FusedOp.Linear;
import io.tutti.tornado.program.FusedOp.Rotation;
import java.util.Optional;

/** What one launch of the OpenCL C kernel does. */
sealed interface ClOp {

    /** As {@link FusedOp#name}. */
    String name();

    /** An op as it is. */
    record One(FusedOp op) implements ClOp {
        @Override
        public String name() {
            return op.name();
        }
    }

    /**
     * A rotation.
     *
     * @param norms what normalizes its heads first
     */
    record Rotate(Rotation rotation, Optional<HeadNorms> norms) implements ClOp {
        @Override
        public String name() {
            return rotation.name();
        }
    }

    /**
     * Linear layers.
     *
     * @param norm what normalizes their input, which nothing else reads
     * @param gate what joins their two outputs, which nothing else reads
     */
    record MatMul(Linear linear, Optional<Op.RmsNorm> norm, Optional<Op.SwiGlu> gate) implements ClOp {
        @Override
        public String name() {
            return linear.name();
        }
    }

    /**
     * Attention.
     *
     * @param fresh what normalizes, turns and keeps its queries, keys and values first; empty if that is done
     */
    record Attend(Op.Attention attention, Optional<Fresh> fresh) implements ClOp {
        @Override
        public String name() {
            return attention.getClass().getSimpleName();
        }
    }

    /** The ops between the matrices and attention. */
    record Fresh(Rotate rotate, Op.WriteKv write) {}
}
