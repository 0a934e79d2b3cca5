// What all kernels in OpenCL C share: the order of sums and the elementary functions, bit for bit as Numerics in the engine
// defines them. Nothing may be fused but what is spelled fma.

#pragma OPENCL FP_CONTRACT OFF

#define INLINE static inline __attribute__((always_inline))

// Terms of a segment: every sum runs in ascending order inside segments, and the segments' sums are added in ascending order.
#define SEGMENT 256

// Numbers of a vector.
#define WIDE 16

// How numbers are stored, in Java ClKernel's; INT8 are weights as INT4's that meet rows in int8.
#define F32 0
#define F16 1
#define BF16 2
#define INT4 3
#define INT8 4

// exp of numbers of type F; I is the type of as many ints. A NaN stays what it is.
#define EXPONENTIAL(NAME, F, I, CONVERT, AS_F) \
    INLINE F NAME(F x) { \
        F y = select((F) 88.0f, x, x < 88.0f); \
        y = select((F) -87.0f, y, y > -87.0f); \
        F t = fma(y, (F) 0x1.715476p0f, (F) 0x1.8p23f); \
        F n = t - 0x1.8p23f; \
        F r = fma(n, (F) -0x1.63p-1f, y); \
        r = fma(n, (F) 0x1.bd0106p-13f, r); \
        F p = 0x1.a0d2cep-13f; \
        p = fma(p, r, (F) 0x1.6e879cp-10f); \
        p = fma(p, r, (F) 0x1.11121p-7f); \
        p = fma(p, r, (F) 0x1.555382p-5f); \
        p = fma(p, r, (F) 0x1.555554p-3f); \
        p = fma(p, r, (F) 0x1p-1f); \
        F e = fma(fma(p, r, (F) 1.0f), r, (F) 1.0f); \
        F result = e * AS_F((CONVERT(n) + 127) << 23); \
        result = select(result, (F) 0.0f, x < -87.0f); \
        return select(result, x, isnan(x)); \
    }

EXPONENTIAL(exponential, float, int, convert_int, as_float)
EXPONENTIAL(exponential16, float16, int16, convert_int16, as_float16)

// gate / (1 + exp(-gate)) * up
INLINE float swish_product(float gate, float up) {
    return (gate / (1.0f + exponential(-gate))) * up;
}

INLINE float16 swish_product16(float16 gate, float16 up) {
    return (gate / (1.0f + exponential16(-gate))) * up;
}

// Numbers of f16 whose bits are the upper halves of ints. Finite ones only; the product is exact for subnormals, too.
INLINE float16 widen_finite_f16(int16 upper) {
    return as_float16((upper >> 3) & (int) 0x8FFFE000) * 0x1p112f;
}

// All numbers of f16: infinities and NaNs get their exponent.
INLINE float16 widen_f16(short16 bits) {
    int16 upper = convert_int16(bits) << 16;
    int16 special = (upper & 0x7C000000) == 0x7C000000;
    return as_float16(as_int16(widen_finite_f16(upper)) | (special & 0x7F800000));
}

INLINE float widen_one_f16(short bits) {
    int upper = (int) bits << 16;
    float x = as_float((upper >> 3) & (int) 0x8FFFE000) * 0x1p112f;
    return (upper & 0x7C000000) == 0x7C000000 ? as_float(as_int(x) | 0x7F800000) : x;
}

// The f16 nearest to x, ties to even; beyond the largest infinity, and one NaN for all.
INLINE short narrow_f16(float x) {
    int bits = as_int(x);
    int magnitude = bits & 0x7FFFFFFF;
    if (magnitude > 0x7F800000) {
        return 0x7E00;
    }
    // 65520 is halfway from the largest f16 to what would come next; 2^-14 the least that is not subnormal, and a half has as
    // many bits as f16's subnormals.
    int half_bits = magnitude >= 0x477FF000 ? 0x7C00
            : magnitude < 0x38800000 ? as_int(as_float(magnitude) + 0.5f) - as_int(0.5f)
            : ((magnitude + 0xFFF + ((magnitude >> 13) & 1)) >> 13) - (112 << 10);
    return (short) (half_bits | ((bits >> 16) & 0x8000));
}
