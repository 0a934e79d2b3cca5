// Rotation, the cache and attention. Keys lie [block][kvHead][headDim][B], values [block][kvHead][B][headDim], B positions a
// block.

typedef struct {
    int heads, pairs;
    View x;
    // Whether heads are normalized first.
    int normalized;
    Norm norm;
} Rotate;

// A head of a token's row: normalized, if it is to be, and rotated half-split to the token's position, in place.
INLINE void turn_head(const Arrays *arrays, const Rotate *op, int t, int head) {
    int pairs = op->pairs;
    __global float *x = row_of(arrays, op->x, t) + head * 2 * pairs;
    if (op->normalized) {
        normalize_head(arrays, &op->norm, head, 2 * pairs, x, x);
    }
    __global const float *angles = arrays->angles + (size_t) t * 3 * pairs;
    for (int i = 0; i < pairs; i++) {
        float low = x[i];
        float high = x[i + pairs];
        float cosine = angles[i];
        float sine = angles[i + pairs];
        x[i] = fma(low, cosine, -(high * sine));
        x[i + pairs] = fma(high, cosine, low * sine);
    }
}

INLINE void turn_row(const Arrays *arrays, const Rotate *op, int t) {
    if (t < arrays->step[TOKENS]) {
        for (int head = 0; head < op->heads; head++) {
            turn_head(arrays, op, t, head);
        }
    }
}

// Where a layer's part of the cache is.
typedef struct {
    int format, kv_heads, head_dim, block_tokens, at, max_tokens;
} Cache;

typedef struct {
    Cache cache;
    View k, v;
} WriteKv;

INLINE void put(const Cache *cache, __global uchar *numbers, size_t at, float x) {
    if (cache->format == F16) {
        ((__global short *) numbers)[at] = narrow_f16(x);
    } else {
        ((__global float *) numbers)[at] = isnan(x) ? as_float(0x7FC00000) : x;
    }
}

INLINE void write_head(const Arrays *arrays, const WriteKv *op, int t, int head) {
    const Cache *cache = &op->cache;
    int slot = arrays->step[SLOT(cache->max_tokens, t)];
    int block = slot / cache->block_tokens;
    int place = slot - block * cache->block_tokens;
    size_t at = cache->at + ((size_t) block * cache->kv_heads + head) * cache->head_dim * cache->block_tokens;
    __global const float *k = row_of(arrays, op->k, t) + head * cache->head_dim;
    __global const float *v = row_of(arrays, op->v, t) + head * cache->head_dim;
    for (int d = 0; d < cache->head_dim; d++) {
        put(cache, arrays->keys, at + d * cache->block_tokens + place, k[d]);
        put(cache, arrays->slab_values, at + place * cache->head_dim + d, v[d]);
    }
}

INLINE void write_kv(const Arrays *arrays, const WriteKv *op, int t) {
    if (t < arrays->step[TOKENS]) {
        for (int head = 0; head < op->cache.kv_heads; head++) {
            write_head(arrays, op, t, head);
        }
    }
}

INLINE float16 read16(const int format, __global const uchar *numbers, size_t at) {
    return format == F16 ? widen_f16(vload16(0, (__global const short *) numbers + at))
            : vload16(0, (__global const float *) numbers + at);
}

INLINE float read1(const int format, __global const uchar *numbers, size_t at) {
    return format == F16 ? widen_one_f16(((__global const short *) numbers)[at]) : ((__global const float *) numbers)[at];
}

typedef struct {
    Cache cache;
    int heads, capacity, partials, scale_bits, window;
    View q, out;
    // Whether queries, keys and values come as the matrices left them: then the token is its sequence's only one, and a
    // work-item turns and writes what is its own first. Keys lie behind queries, so their heads are counted on.
    int fresh;
    View v;
    Rotate rotate;
} Attention;

// Query heads that share one reading of the cache.
#define QUERIES 4

// The cache of one head in one segment, for N query heads: scores and weights in place, then weighted values. A segment's
// result is headDim sums, the highest score and the sum of the weights.
#define SEGMENT_OF(NAME, N) \
    INLINE void NAME( \
            const int format, const Arrays *arrays, const Cache *cache, __global const int *table, size_t slab, \
            __global const float *query, float scale, int first, int live, __global float *out, int out_stride) { \
        float z[N * SEGMENT]; \
        int block_tokens = cache->block_tokens; \
        int head_dim = cache->head_dim; \
        size_t block_stride = (size_t) cache->kv_heads * head_dim * block_tokens; \
        for (int i = 0; i < N * SEGMENT; i++) { \
            z[i] = 0.0f; \
        } \
        for (int from = 0; from < head_dim; from += SEGMENT) { \
            int end = min(head_dim, from + SEGMENT); \
            float scaled[N * SEGMENT]; \
            for (int d = from; d < end; d++) { \
                _Pragma("unroll") for (int h = 0; h < N; h++) { \
                    scaled[(d - from) * N + h] = query[h * head_dim + d] * scale; \
                } \
            } \
            for (int j = 0; j < live;) { \
                int block = (first + j) / block_tokens; \
                int place = first + j - block * block_tokens; \
                size_t at = slab + table[block] * block_stride + place; \
                if (place + WIDE <= block_tokens) { \
                    float16 sum[N]; \
                    _Pragma("unroll") for (int h = 0; h < N; h++) { \
                        sum[h] = 0.0f; \
                    } \
                    for (int d = from; d < end; d++) { \
                        float16 key = read16(format, arrays->keys, at + (size_t) d * block_tokens); \
                        _Pragma("unroll") for (int h = 0; h < N; h++) { \
                            sum[h] = fma((float16) scaled[(d - from) * N + h], key, sum[h]); \
                        } \
                    } \
                    if (j + WIDE <= SEGMENT) { \
                        _Pragma("unroll") for (int h = 0; h < N; h++) { \
                            vstore16(vload16(0, z + h * SEGMENT + j) + sum[h], 0, z + h * SEGMENT + j); \
                        } \
                        j += WIDE; \
                        continue; \
                    } \
                } \
                float sum[N]; \
                _Pragma("unroll") for (int h = 0; h < N; h++) { \
                    sum[h] = 0.0f; \
                } \
                for (int d = from; d < end; d++) { \
                    float key = read1(format, arrays->keys, at + (size_t) d * block_tokens); \
                    _Pragma("unroll") for (int h = 0; h < N; h++) { \
                        sum[h] = fma(scaled[(d - from) * N + h], key, sum[h]); \
                    } \
                } \
                _Pragma("unroll") for (int h = 0; h < N; h++) { \
                    z[h * SEGMENT + j] = z[h * SEGMENT + j] + sum[h]; \
                } \
                j++; \
            } \
        } \
        _Pragma("unroll") for (int h = 0; h < N; h++) { \
            float *weights = z + h * SEGMENT; \
            float most = -INFINITY; \
            for (int j = 0; j < live; j++) { \
                most = weights[j] > most ? weights[j] : most; \
            } \
            for (int j = 0; j < live; j += WIDE) { \
                vstore16(exponential16(vload16(0, weights + j) - most), 0, weights + j); \
            } \
            float sum = 0.0f; \
            for (int j = 0; j < live; j++) { \
                sum = sum + weights[j]; \
            } \
            out[h * out_stride + head_dim] = most; \
            out[h * out_stride + head_dim + 1] = sum; \
        } \
        for (int d = 0; d < head_dim; d += WIDE) { \
            float16 sum[N]; \
            _Pragma("unroll") for (int h = 0; h < N; h++) { \
                sum[h] = 0.0f; \
            } \
            int wide = d + WIDE <= head_dim; \
            int end; \
            for (int j = 0; j < live; j = end) { \
                int block = (first + j) / block_tokens; \
                int place = first + j - block * block_tokens; \
                size_t at = slab + table[block] * block_stride + (size_t) place * head_dim + d; \
                end = min(live, j + block_tokens - place); \
                for (int p = j; p < end; p++, at += head_dim) { \
                    float16 value = 0.0f; \
                    if (wide) { \
                        value = read16(format, arrays->slab_values, at); \
                    } else { \
                        float few[WIDE]; \
                        for (int i = 0; i < WIDE; i++) { \
                            few[i] = i < head_dim - d ? read1(format, arrays->slab_values, at + i) : 0.0f; \
                        } \
                        value = vload16(0, few); \
                    } \
                    _Pragma("unroll") for (int h = 0; h < N; h++) { \
                        sum[h] = fma((float16) z[h * SEGMENT + p], value, sum[h]); \
                    } \
                } \
            } \
            _Pragma("unroll") for (int h = 0; h < N; h++) { \
                if (wide) { \
                    vstore16(sum[h], 0, out + h * out_stride + d); \
                } else { \
                    float few[WIDE]; \
                    vstore16(sum[h], 0, few); \
                    for (int i = d; i < head_dim; i++) { \
                        out[h * out_stride + i] = few[i - d]; \
                    } \
                } \
            } \
        } \
    }

SEGMENT_OF(segment_of_1, 1)
SEGMENT_OF(segment_of_2, 2)
SEGMENT_OF(segment_of_3, 3)
SEGMENT_OF(segment_of_4, QUERIES)

INLINE int segment_of(
        const int format, const Arrays *arrays, const Cache *cache, __global const int *table, size_t slab,
        __global const float *query, float scale, int first, int live, int left, __global float *out, int out_stride) {
    switch (min(left, QUERIES)) {
        case 1:
            segment_of_1(format, arrays, cache, table, slab, query, scale, first, live, out, out_stride);
            return 1;
        case 2:
            segment_of_2(format, arrays, cache, table, slab, query, scale, first, live, out, out_stride);
            return 2;
        case 3:
            segment_of_3(format, arrays, cache, table, slab, query, scale, first, live, out, out_stride);
            return 3;
        default:
            segment_of_4(format, arrays, cache, table, slab, query, scale, first, live, out, out_stride);
            return QUERIES;
    }
}

// Brings segments to their common maximum, adds them in order, and divides the sums by that of the weights.
INLINE void join_segments(__global const float *partial, int begin, int segments, int head_dim, __global float *out) {
    int stride = head_dim + 2;
    float most = -INFINITY;
    for (int s = begin; s < segments; s++) {
        float m = partial[s * stride + head_dim];
        most = m > most ? m : most;
    }
    float weight = 0.0f;
    for (int d = 0; d < head_dim; d++) {
        out[d] = 0.0f;
    }
    for (int s = begin; s < segments; s++) {
        __global const float *sums = partial + s * stride;
        float factor = exponential(sums[head_dim] - most);
        weight = fma(factor, sums[head_dim + 1], weight);
        for (int d = 0; d < head_dim; d++) {
            out[d] = fma(factor, sums[d], out[d]);
        }
    }
    for (int d = 0; d < head_dim; d++) {
        out[d] = out[d] / weight;
    }
}

// A work-item a KV head and a token, with all query heads that share the head.
INLINE void attend_of(const int format, const Arrays *arrays, const Attention *op, int kv_head, int t) {
    const Cache *cache = &op->cache;
    if (t >= arrays->step[TOKENS]) {
        return;
    }
    int head_dim = cache->head_dim;
    int queries = op->heads / cache->kv_heads;
    int head = kv_head * queries;
    __global float *q = row_of(arrays, op->q, t) + head * head_dim;
    if (op->fresh) {
        for (int h = 0; h < queries; h++) {
            turn_head(arrays, &op->rotate, t, head + h);
        }
        turn_head(arrays, &op->rotate, t, op->heads + kv_head);
        View k = {op->q.at + op->heads * head_dim, op->q.stride};
        WriteKv write = {op->cache, k, op->v};
        write_head(arrays, &write, t, kv_head);
    }
    int positions = arrays->step[POSITION(cache->max_tokens, t)] + 1;
    __global const int *table =
            arrays->step + BLOCK(cache->max_tokens, arrays->step[TABLE(cache->max_tokens, t)]);
    size_t slab = cache->at + (size_t) kv_head * head_dim * cache->block_tokens;
    int stride = op->capacity * (head_dim + 2);
    __global float *partial = arrays->values + op->partials + ((size_t) t * op->heads + head) * stride;
    // What is before the window is not read, nor do segments there count.
    int visible = positions > op->window ? positions - op->window : 0;
    int begin = visible / SEGMENT;
    int segments = (positions + SEGMENT - 1) / SEGMENT;
    for (int s = begin; s < segments; s++) {
        int first = max(s * SEGMENT, visible);
        int live = min((s + 1) * SEGMENT, positions) - first;
        for (int h = 0; h < queries;) {
            h += segment_of(
                    format, arrays, cache, table, slab, q + h * head_dim, as_float(op->scale_bits), first, live, queries - h,
                    partial + (size_t) h * stride + s * (head_dim + 2), stride);
        }
    }
    for (int h = 0; h < queries; h++) {
        join_segments(
                partial + (size_t) h * stride, begin, segments, head_dim,
                row_of(arrays, op->out, t) + (head + h) * head_dim);
    }
}

INLINE void attend(const Arrays *arrays, const Attention *op, int kv_head, int t) {
    if (op->cache.format == F16) {
        attend_of(F16, arrays, op, kv_head, t);
    } else {
        attend_of(F32, arrays, op, kv_head, t);
    }
}
