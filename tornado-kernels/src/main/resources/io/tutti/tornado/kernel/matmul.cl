// out[t, n] = dot(weight[n], in[t]), a work-item some tiles of 32 rows and some tokens. Weights lie in the tiles that the
// host's kernels read too (Tile in the engine), those of all layers one after the other.

#define ROWS 32

// Tokens that share one reading of the weights: as many as there are registers for, two vectors' sums a token.
#ifdef __AVX512F__
#define MANY 12
#define SOME 4
#else
#define MANY 4
#define SOME 2
#endif

// Column k of a tile: its rows' weights, in two vectors. The scales are for INT4 only.
INLINE void column(
        const int format, __global const uchar *tile, int k, const float16 *scales, float16 *low, float16 *high) {
    if (format == F32) {
        __global const float *weights = (__global const float *) tile + (size_t) k * ROWS;
        *low = vload16(0, weights);
        *high = vload16(1, weights);
    } else if (format == INT4) {
        __global const int *words = (__global const int *) tile + (size_t) (k >> 3) * ROWS;
        int up = 28 - 4 * (k & 7);
        *low = convert_float16(vload16(0, words) << up >> 28) * scales[0];
        *high = convert_float16(vload16(1, words) << up >> 28) * scales[1];
    } else {
        int16 pairs = vload16(k, (__global const int *) tile);
        int16 lower = pairs << 16;
        int16 upper = pairs & (int) 0xFFFF0000;
        *low = format == BF16 ? as_float16(lower) : widen_finite_f16(lower);
        *high = format == BF16 ? as_float16(upper) : widen_finite_f16(upper);
    }
}

// Adds to total what columns from to end of a tile give for T tokens, whose rows are stride apart: two vectors a token. S
// segments go side by side, in which these are the first one's columns, since a sum waits for each of its additions.
#define RUNS(NAME, S, T) \
    INLINE void NAME( \
            const int format, __global const uchar *tile, __global const uchar *scale_tile, int group, int from, int end, \
            __global const float *in, int stride, float16 *total) { \
        float16 sum[2 * S * T]; \
        _Pragma("unroll") for (int i = 0; i < 2 * S * T; i++) { \
            sum[i] = 0.0f; \
        } \
        while (from < end) { \
            int same_scales = end; \
            float16 scales[2 * S]; \
            if (format == INT4) { \
                same_scales = min(end, (from / group + 1) * group); \
                _Pragma("unroll") for (int s = 0; s < S; s++) { \
                    column(F16, scale_tile, (from + s * SEGMENT) / group, scales, &scales[2 * s], &scales[2 * s + 1]); \
                } \
            } \
            for (int k = from; k < same_scales; k++) { \
                _Pragma("unroll") for (int s = 0; s < S; s++) { \
                    float16 low, high; \
                    column(format, tile, k + s * SEGMENT, &scales[2 * s], &low, &high); \
                    _Pragma("unroll") for (int t = 0; t < T; t++) { \
                        float16 x = in[t * stride + k + s * SEGMENT]; \
                        int i = 2 * (s * T + t); \
                        sum[i] = fma(low, x, sum[i]); \
                        sum[i + 1] = fma(high, x, sum[i + 1]); \
                    } \
                } \
            } \
            from = same_scales; \
        } \
        _Pragma("unroll") for (int i = 0; i < 2 * S * T; i++) { \
            total[i % (2 * T)] = total[i % (2 * T)] + sum[i]; \
        } \
    }

RUNS(run_1, 1, 1)
RUNS(run_2_segments, 2, 1)
RUNS(run_4_segments, 4, 1)
RUNS(run_some, 1, SOME)
RUNS(run_many, 1, MANY)

// The products of a tile and at most so many tokens as are left; how many it took.
INLINE int tile_times(
        const int format, __global const uchar *tile, __global const uchar *scale_tile, int group, int cols,
        __global const float *in, int stride, int left, float16 *total) {
    int tokens = left >= MANY ? MANY : left >= SOME ? SOME : 1;
    for (int i = 0; i < 2 * tokens; i++) {
        total[i] = 0.0f;
    }
    // Segments that begin with a group each may go side by side.
    int alike = format != INT4 || SEGMENT % group == 0;
    for (int from = 0; from < cols;) {
        int end = min(cols, from + SEGMENT);
        int segments = 1;
        if (tokens == MANY) {
            run_many(format, tile, scale_tile, group, from, end, in, stride, total);
        } else if (tokens == SOME) {
            run_some(format, tile, scale_tile, group, from, end, in, stride, total);
        } else if (alike && cols - from >= 4 * SEGMENT) {
            segments = 4;
            run_4_segments(format, tile, scale_tile, group, from, end, in, stride, total);
        } else if (alike && cols - from >= 2 * SEGMENT) {
            segments = 2;
            run_2_segments(format, tile, scale_tile, group, from, end, in, stride, total);
        } else {
            run_1(format, tile, scale_tile, group, from, end, in, stride, total);
        }
        from += segments * SEGMENT;
    }
    return tokens;
}

// What is done to a product before it is written.
#define REPLACE 0
#define ADD_TO 1
// The rows are a gate's and then as many of what it opens; their product takes the place of the gate's.
#define OPEN_GATE 2

typedef struct {
    int format, group, count, layer, cols, rows, finish;
    // Of a work-item.
    int tiles, tokens;
    View in, out;
    // Where biases begin in values, as many as whole tiles have rows; below zero, if there are none.
    int bias;
    // Whether rows of in are normalized first, each work-item's to rows of its own from scratch on.
    int normalized;
    Norm norm;
    int scratch;
} MatMul;

// The rows' biases, added to the products of so many tokens.
INLINE void add_bias(__global const float *bias, int tokens, float16 *product) {
    float16 low = vload16(0, bias);
    float16 high = vload16(1, bias);
    for (int i = 0; i < tokens; i++) {
        product[2 * i] = product[2 * i] + low;
        product[2 * i + 1] = product[2 * i + 1] + high;
    }
}

INLINE void write_row(float16 low, float16 high, int add, int rows, __global float *out) {
    if (rows >= ROWS) {
        vstore16(add ? vload16(0, out) + low : low, 0, out);
        vstore16(add ? vload16(1, out) + high : high, 1, out);
    } else {
        float all[ROWS];
        vstore16(low, 0, all);
        vstore16(high, 1, all);
        for (int r = 0; r < rows; r++) {
            out[r] = add ? out[r] + all[r] : all[r];
        }
    }
}

INLINE void mat_mul_of(const int format, const Arrays *arrays, const MatMul *op, int item_x, int item_y) {
    int tokens = arrays->step[op->count];
    int first = item_y * op->tokens;
    int end = min(tokens, first + op->tokens);
    if (first >= end) {
        return;
    }
    int cols = op->cols;
    int all_tiles = (op->rows + ROWS - 1) / ROWS;
    int tiles = op->finish == OPEN_GATE ? all_tiles / 2 : all_tiles;
    size_t tile_bytes = format == F32 ? (size_t) cols * ROWS * 4
            : format == INT4 ? (size_t) ((cols + 7) / 8) * ROWS * 4
            : (size_t) cols * ROWS * 2;
    size_t scale_bytes = format == INT4 ? (size_t) (cols / op->group) * ROWS * 2 : 0;
    __global const uchar *weights = arrays->weights + op->layer * all_tiles * tile_bytes;
    __global const uchar *scales = arrays->scales + op->layer * all_tiles * scale_bytes;

    View in = op->in;
    if (op->normalized) {
        View own = {op->scratch + item_x * op->tokens * cols - first * cols, cols};
        for (int t = first; t < end; t++) {
            normalize_head(arrays, &op->norm, 0, cols, row_of(arrays, in, t), row_of(arrays, own, t));
        }
        in = own;
    }
    float16 product[2 * MANY];
    float16 opened[2 * MANY];
    for (int tile = item_x * op->tiles; tile < min(tiles, (item_x + 1) * op->tiles); tile++) {
        for (int t = first; t < end;) {
            __global const float *x = row_of(arrays, in, t);
            int taken = tile_times(
                    format, weights + tile * tile_bytes, scales + tile * scale_bytes, op->group, cols, x, in.stride, end - t,
                    product);
            if (op->bias >= 0) {
                add_bias(arrays->values + op->bias + tile * ROWS, taken, product);
            }
            if (op->finish == OPEN_GATE) {
                tile_times(
                        format, weights + (tile + tiles) * tile_bytes, scales + (tile + tiles) * scale_bytes, op->group, cols,
                        x, in.stride, end - t, opened);
                if (op->bias >= 0) {
                    add_bias(arrays->values + op->bias + (tile + tiles) * ROWS, taken, opened);
                }
                for (int i = 0; i < 2 * taken; i++) {
                    product[i] = swish_product16(product[i], opened[i]);
                }
            }
            for (int i = 0; i < taken; i++) {
                write_row(
                        product[2 * i], product[2 * i + 1], op->finish == ADD_TO, op->rows - tile * ROWS,
                        row_of(arrays, op->out, t + i) + tile * ROWS);
            }
            t += taken;
        }
    }
}

INLINE void mat_mul(const Arrays *arrays, const MatMul *op, int item_x, int item_y) {
    switch (op->format) {
        case F32:
            mat_mul_of(F32, arrays, op, item_x, item_y);
            break;
        case F16:
            mat_mul_of(F16, arrays, op, item_x, item_y);
            break;
        case BF16:
            mat_mul_of(BF16, arrays, op, item_x, item_y);
            break;
        default:
            mat_mul_of(INT4, arrays, op, item_x, item_y);
    }
}
