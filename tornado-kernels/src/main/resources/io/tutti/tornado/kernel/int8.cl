// int4 weights times rows in int8: blocks of 32 columns of a row become integers with a common scale, and columns that share
// both the row's scale and the weight's, a run, have a dot of integers. It fits 16 bits, so nibbles and integers are multiplied
// in lanes of that width: columns i and i + 4 of a word lie in the halves of an int.
//
// A quantized row is its blocks' scales and then, for every word of every run, four ints: columns i and i + 4 in each. Two runs
// that share a word have one each, in which the other's columns are zero.

#define INT8_BLOCK 32

// Columns of a word of nibbles, and pairs of them.
#define NIBBLES 8
#define PAIRS 4

INLINE int blocks_of(int cols) {
    return (cols + INT8_BLOCK - 1) / INT8_BLOCK;
}

// The end of the run that begins at a column.
INLINE int run_end(int run, int cols, int group) {
    return min(cols, min((run / group + 1) * group, (run / INT8_BLOCK + 1) * INT8_BLOCK));
}

// Numbers from one quantized row to the next; in Java ClKernel.quantizedStride.
INLINE int quantized_stride(int cols, int group) {
    int words = 0;
    for (int run = 0; run < cols; run = run_end(run, cols, group)) {
        words += (run_end(run, cols, group) + NIBBLES - 1) / NIBBLES - run / NIBBLES;
    }
    return blocks_of(cols) + words * PAIRS;
}

INLINE int highest16(int16 x) {
    int8 a = max(x.lo, x.hi);
    int4 b = max(a.lo, a.hi);
    int2 c = max(b.lo, b.hi);
    return max(c.lo, c.hi);
}

INLINE int16 to_integers(float16 x, float scale) {
    return convert_int16(clamp(rint(x / scale), -127.0f, 127.0f));
}

// The integers of a block of so many columns, zeros behind them; and its scale.
INLINE float quantize_block(__global const float *in, int cols, int *integers) {
    float x[INT8_BLOCK];
    for (int i = 0; i < INT8_BLOCK; i++) {
        x[i] = i < cols ? in[i] : 0.0f;
    }
    float16 low = vload16(0, x);
    float16 high = vload16(1, x);
    // Magnitudes are ordered as their bits are, infinity and NaN above all numbers.
    int magnitude = 0x7FFFFFFF;
    int highest = highest16(max(as_int16(low) & magnitude, as_int16(high) & magnitude));
    float scale = highest < 0x7F800000 ? as_float(highest) / 127.0f : as_float(0x7FC00000);
    if (scale > 0.0f) {
        vstore16(to_integers(low, scale), 0, integers);
        vstore16(to_integers(high, scale), 1, integers);
    } else {
        vstore16(0, 0, integers);
        vstore16(0, 1, integers);
    }
    return scale;
}

INLINE void quantize_row(int cols, int group, __global const float *in, __global float *out) {
    __global int *pairs = (__global int *) out + blocks_of(cols);
    int8 places = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int block = 0; block < blocks_of(cols); block++) {
        int from = block * INT8_BLOCK;
        int end = min(cols, from + INT8_BLOCK);
        int integers[INT8_BLOCK];
        out[block] = quantize_block(in + from, end - from, integers);
        for (int run = from; run < end; run = run_end(run, cols, group)) {
            int next = run_end(run, cols, group);
            for (int word = run / NIBBLES * NIBBLES; word < next; word += NIBBLES, pairs += PAIRS) {
                int8 columns = places + word;
                int8 all = vload8((word - from) / NIBBLES, integers);
                int8 own = select((int8) 0, all, columns >= run && columns < next);
                vstore4((own.lo & 0xFFFF) | own.hi << 16, 0, pairs);
            }
        }
    }
}

typedef struct {
    int count, cols, group;
    View in, out;
} Quantize;

INLINE void quantize(const Arrays *arrays, const Quantize *op, int t) {
    if (t < arrays->step[op->count]) {
        quantize_row(op->cols, op->group, row_of(arrays, op->in, t), row_of(arrays, op->out, t));
    }
}

// Eight rows' dots, whose two halves are in the halves of ints.
INLINE int8 halves_sum(short16 dots) {
    int8 both = as_int8(dots);
    return (both << 16 >> 16) + (both >> 16);
}

// total = the products of a tile and T tokens' quantized rows, which are stride apart: two vectors a token.
#define INT8_RUNS(NAME, T) \
    INLINE void NAME( \
            __global const int *words, __global const uchar *scale_tile, int group, int cols, __global const float *in, \
            int stride, float16 *total) { \
        __global const int *pairs = (__global const int *) in + blocks_of(cols); \
        _Pragma("unroll") for (int i = 0; i < 2 * T; i++) { \
            total[i] = 0.0f; \
        } \
        for (int from = 0; from < cols; from += SEGMENT) { \
            int end = min(cols, from + SEGMENT); \
            float16 sum[2 * T]; \
            _Pragma("unroll") for (int i = 0; i < 2 * T; i++) { \
                sum[i] = 0.0f; \
            } \
            int next; \
            for (int run = from; run < end; run = next) { \
                next = run_end(run, end, group); \
                short16 dot[4 * T]; \
                _Pragma("unroll") for (int i = 0; i < 4 * T; i++) { \
                    dot[i] = 0; \
                } \
                for (int word = run / NIBBLES; word * NIBBLES < next; word++, pairs += PAIRS) { \
                    _Pragma("unroll") for (int part = 0; part < 4; part++) { \
                        short16 both = as_short16(vload8(part, words + (size_t) word * ROWS)); \
                        _Pragma("unroll") for (int i = 0; i < PAIRS; i++) { \
                            short16 nibbles = both << (short16) (12 - 4 * i) >> (short16) 12; \
                            _Pragma("unroll") for (int t = 0; t < T; t++) { \
                                dot[4 * t + part] += nibbles * as_short16((int8) pairs[t * stride + i]); \
                            } \
                        } \
                    } \
                } \
                float16 low, high; \
                column(F16, scale_tile, run / group, 0, &low, &high); \
                _Pragma("unroll") for (int t = 0; t < T; t++) { \
                    float own = in[t * stride + run / INT8_BLOCK]; \
                    int16 first = (int16) (halves_sum(dot[4 * t]), halves_sum(dot[4 * t + 1])); \
                    int16 second = (int16) (halves_sum(dot[4 * t + 2]), halves_sum(dot[4 * t + 3])); \
                    sum[2 * t] = fma(convert_float16(first), low * own, sum[2 * t]); \
                    sum[2 * t + 1] = fma(convert_float16(second), high * own, sum[2 * t + 1]); \
                } \
            } \
            _Pragma("unroll") for (int i = 0; i < 2 * T; i++) { \
                total[i] = total[i] + sum[i]; \
            } \
        } \
    }

INT8_RUNS(int8_one, 1)
INT8_RUNS(int8_some, INT8_SOME)
INT8_RUNS(int8_many, INT8_MANY)

// As tile_times, of rows that are quantized.
INLINE int tile_times_int8(
        __global const uchar *tile, __global const uchar *scale_tile, int group, int cols, __global const float *in, int stride,
        int left, float16 *total) {
    __global const int *words = (__global const int *) tile;
    if (left >= INT8_MANY) {
        int8_many(words, scale_tile, group, cols, in, stride, total);
        return INT8_MANY;
    }
    if (left >= INT8_SOME) {
        int8_some(words, scale_tile, group, cols, in, stride, total);
        return INT8_SOME;
    }
    int8_one(words, scale_tile, group, cols, in, stride, total);
    return 1;
}
