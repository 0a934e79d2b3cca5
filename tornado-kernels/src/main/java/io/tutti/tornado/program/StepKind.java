package io.tutti.tornado.program;

/** Steps that differ in which launches they are best made of. */
enum StepKind {
    /** One token of each of a few sequences: no token sees another, and a launch costs as much as the work in it. */
    SINGLE,
    /** Any step. */
    ANY;

    /** Sequences of a {@link #SINGLE} step at most: more rows are better normalized once than by each work-item. */
    static final int MOST_SINGLES = 4;

    static StepKind of(StepShape shape) {
        return shape.tokens() == shape.sequences() && shape.tokens() <= MOST_SINGLES ? SINGLE : ANY;
    }
}
