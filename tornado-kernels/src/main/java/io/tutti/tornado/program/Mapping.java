package io.tutti.tornado.program;

import io.tutti.tornado.kernel.ClKernel;
import io.tutti.tornado.kernel.QuantizeRows;
import io.tutti.tornado.kernel.Tables;

/** How kernels are laid over a device's parallelism; every mapping gives the same bits. */
public enum Mapping {
    /** For CPUs: a work-item takes a tile of 32 rows, whose sums fill vector registers; 16-bit numbers are looked up. */
    TILES(Tables.FULL, "Java"),
    /** For CPUs, in OpenCL C: as {@link #TILES}, but in vectors; 16-bit numbers are shifted into place. */
    VECTORS(Tables.COMPACT, "OpenCL C"),
    /** For GPUs: a lane takes a row, and neighbours read neighbouring weights; 16-bit numbers are computed. */
    LANES(Tables.COMPACT, "Java");

    private final int tables;
    private final String text;

    Mapping(int tables, String text) {
        this.tables = tables;
        this.text = text;
    }

    /** The language of its kernels, for people. */
    public String text() {
        return text;
    }

    /**
     * Numbers from one row in int8 to the next, as the kernels have them.
     *
     * @param group columns that share a scale of the weights that the rows meet
     */
    int quantizedStride(int cols, int group) {
        return switch (this) {
            case TILES, LANES -> QuantizeRows.stride(cols);
            case VECTORS -> ClKernel.quantizedStride(cols, group);
        };
    }

    /** Which form of {@link Tables} the kernels read. */
    int tables() {
        return tables;
    }
}
