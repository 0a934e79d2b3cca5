// Ops that take rows one by one: a work-item a row.

// In values, row t of a view begins at at + t * stride.
typedef struct {
    int at;
    int stride;
} View;

INLINE __global float *row_of(const Arrays *arrays, View view, int t) {
    return arrays->values + view.at + (size_t) t * view.stride;
}

typedef struct {
    int format, width, max_tokens;
    View out;
} Embed;

// The table lies in tiles of 32 rows, as a matrix.
INLINE void embed(const Arrays *arrays, const Embed *op, int t) {
    if (t >= arrays->step[TOKENS]) {
        return;
    }
    int id = arrays->step[ID(op->max_tokens, t)];
    __global float *out = row_of(arrays, op->out, t);
    size_t tile = (size_t) (id >> 5) * op->width;
    if (op->format == F32) {
        __global const float *table = (__global const float *) arrays->weights;
        for (int i = 0; i < op->width; i++) {
            out[i] = table[(tile + i) * 32 + (id & 31)];
        }
    } else {
        __global const short *table = (__global const short *) arrays->weights;
        for (int i = 0; i < op->width; i++) {
            short bits = table[((tile + i) * 16 + (id & 15)) * 2 + ((id >> 4) & 1)];
            out[i] = op->format == F16 ? widen_one_f16(bits) : as_float((int) bits << 16);
        }
    }
}

// Where a norm's scales begin in values, those of one head behind those of the other.
typedef struct {
    int scales, eps_bits;
} Norm;

// A term of a sum of squares; beyond the row zero, which leaves a sum of squares as it is.
INLINE float square_sum(__global const float *x, int i, int width, float sum) {
    float term = i < width ? x[i] : 0.0f;
    return fma(term, term, sum);
}

// out = in / sqrt(mean of in^2 + eps) * scale, in place if they are the same
INLINE void normalize_head(
        const Arrays *arrays, const Norm *norm, int head, int width, __global const float *in, __global float *out) {
    __global const float *scale = arrays->values + norm->scales + head * width;
    float total = 0.0f;
    // Sums wait for each of their additions; four at a time wait together.
    for (int from = 0; from < width; from += 4 * SEGMENT) {
        float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
        for (int i = from; i < min(width, from + SEGMENT); i++) {
            a = square_sum(in, i, width, a);
            b = square_sum(in, i + SEGMENT, width, b);
            c = square_sum(in, i + 2 * SEGMENT, width, c);
            d = square_sum(in, i + 3 * SEGMENT, width, d);
        }
        total = total + a;
        total = total + b;
        total = total + c;
        total = total + d;
    }
    float r = 1.0f / sqrt(total / (float) width + as_float(norm->eps_bits));
    for (int i = 0; i < width; i++) {
        out[i] = (in[i] * r) * scale[i];
    }
}

typedef struct {
    int count, heads, width;
    Norm norm;
    View in, out;
} RmsNorm;

INLINE void rms_norm(const Arrays *arrays, const RmsNorm *op, int t) {
    if (t < arrays->step[op->count]) {
        __global const float *in = row_of(arrays, op->in, t);
        __global float *out = row_of(arrays, op->out, t);
        for (int head = 0; head < op->heads; head++) {
            normalize_head(arrays, &op->norm, head, op->width, in + head * op->width, out + head * op->width);
        }
    }
}

typedef struct {
    int count, width;
    View gate, up, out;
} SwiGlu;

INLINE void swi_glu(const Arrays *arrays, const SwiGlu *op, int t) {
    if (t < arrays->step[op->count]) {
        __global const float *gate = row_of(arrays, op->gate, t);
        __global const float *up = row_of(arrays, op->up, t);
        __global float *out = row_of(arrays, op->out, t);
        for (int i = 0; i < op->width; i++) {
            out[i] = swish_product(gate[i], up[i]);
        }
    }
}

typedef struct {
    int count, width;
    View x, y;
} Add;

INLINE void add(const Arrays *arrays, const Add *op, int t) {
    if (t < arrays->step[op->count]) {
        __global float *x = row_of(arrays, op->x, t);
        __global const float *y = row_of(arrays, op->y, t);
        for (int i = 0; i < op->width; i++) {
            x[i] = x[i] + y[i];
        }
    }
}

typedef struct {
    int width, max_tokens;
    View in, out;
} SelectOutputs;

INLINE void select_outputs(const Arrays *arrays, const SelectOutputs *op, int i) {
    if (i < arrays->step[1]) {
        __global const float *in = row_of(arrays, op->in, arrays->step[OUTPUT(op->max_tokens, i)]);
        __global float *out = row_of(arrays, op->out, i);
        for (int k = 0; k < op->width; k++) {
            out[k] = in[k];
        }
    }
}
