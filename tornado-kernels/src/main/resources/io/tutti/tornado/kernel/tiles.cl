// The products of a tile of 32 rows of weights with some tokens' rows. Weights lie in the tiles that the host's kernels read
// too (Tile in the engine), those of all layers one after the other.

#define ROWS 32

// Tokens that share one reading of the weights: as many as there are registers for, two vectors' sums a token.
#ifdef __AVX512F__
#define MANY 12
#define SOME 4
#define INT8_MANY 4
#define INT8_SOME 2
#else
#define MANY 4
#define SOME 2
#define INT8_MANY 2
#define INT8_SOME 2
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
