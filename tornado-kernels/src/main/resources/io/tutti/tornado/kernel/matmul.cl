// out[t, n] = dot(weight[n], in[t]), a work-item some tiles and some tokens.

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
    // Whether rows of in are normalized first, and INT8's then quantized, each work-item's to rows of its own from scratch on.
    // INT8's rows of in are quantized already where that is not to be done.
    int normalized;
    Norm norm;
    int quantized;
    int scratch;
} MatMul;

// The rows of in from first to end as the product takes them.
INLINE View prepared(const Arrays *arrays, const MatMul *op, int item, int first, int end) {
    View in = op->in;
    int cols = op->cols;
    int stride = op->quantized ? quantized_stride(cols, op->group) : 0;
    int own = op->scratch + item * op->tokens * (stride + (op->normalized ? cols : 0));
    if (op->normalized) {
        View normal = {own - first * cols, cols};
        for (int t = first; t < end; t++) {
            normalize_head(arrays, &op->norm, 0, cols, row_of(arrays, in, t), row_of(arrays, normal, t));
        }
        in = normal;
        own += op->tokens * cols;
    }
    if (op->quantized) {
        View integers = {own - first * stride, stride};
        for (int t = first; t < end; t++) {
            quantize_row(cols, op->group, row_of(arrays, in, t), row_of(arrays, integers, t));
        }
        in = integers;
    }
    return in;
}

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

INLINE int products(
        const int format, __global const uchar *tile, __global const uchar *scale_tile, int group, int cols,
        __global const float *in, int stride, int left, float16 *total) {
    return format == INT8 ? tile_times_int8(tile, scale_tile, group, cols, in, stride, left, total)
            : tile_times(format, tile, scale_tile, group, cols, in, stride, left, total);
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
    int int4 = format == INT4 || format == INT8;
    size_t tile_bytes = format == F32 ? (size_t) cols * ROWS * 4
            : int4 ? (size_t) ((cols + 7) / 8) * ROWS * 4
            : (size_t) cols * ROWS * 2;
    size_t scale_bytes = int4 ? (size_t) (cols / op->group) * ROWS * 2 : 0;
    __global const uchar *weights = arrays->weights + op->layer * all_tiles * tile_bytes;
    __global const uchar *scales = arrays->scales + op->layer * all_tiles * scale_bytes;

    View in = prepared(arrays, op, item_x, first, end);
    float16 product[2 * MANY];
    float16 opened[2 * MANY];
    for (int tile = item_x * op->tiles; tile < min(tiles, (item_x + 1) * op->tiles); tile++) {
        for (int t = first; t < end;) {
            __global const float *x = row_of(arrays, in, t);
            int taken = products(
                    format, weights + tile * tile_bytes, scales + tile * scale_bytes, op->group, cols, x, in.stride, end - t,
                    product);
            if (op->bias >= 0) {
                add_bias(arrays->values + op->bias + tile * ROWS, taken, product);
            }
            if (op->finish == OPEN_GATE) {
                products(
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
        case INT4:
            mat_mul_of(INT4, arrays, op, item_x, item_y);
            break;
        default:
            mat_mul_of(INT8, arrays, op, item_x, item_y);
    }
}
