package io.tutti.engine.host;

/** One op of one layer, ready to run. */
@FunctionalInterface
interface HostOp {
    void run(Step step);
}
