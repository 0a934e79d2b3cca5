"""vectors/numerics-ops.json: each operation of spec/numerics.md by itself, on awkward sizes and values."""
import numpy as np

import int4
import io_json
import numerics
from numerics import f32


def bits(a):
    return ' '.join(f'{v:08x}' for v in np.asarray(a, f32).view(np.uint32).ravel())


def tensor(a):
    return {'shape': list(a.shape), 'bits': bits(a)}


def normal(rng, *shape, scale=1.0):
    return (rng.standard_normal(shape) * scale).astype(f32)


SPECIAL = np.array([0.0, -0.0, 1, -1, 2, -2, 0.5, np.inf, -np.inf, np.nan, 3.4028235e38, -3.4028235e38, 1.1754944e-38, -1.1754944e-38,
                    1e-40, -1e-40, 1e-45, -1e-45, 65504, -65504], f32)


def around(*values):
    v = np.array(values, f32)
    return np.concatenate([np.nextafter(v, f32(-np.inf)), v, np.nextafter(v, f32(np.inf))])


def exp_vectors(rng):
    x = np.concatenate([SPECIAL, around(-87, 88, -87.336544, 88.72284, -0.34657359, 0.34657359, 1e-7, -1e-7), np.linspace(-90, 92, 365).astype(f32),
                        normal(rng, 120), np.ldexp(normal(rng, 60), rng.integers(-12, 7, 60))])
    return {'x': bits(x), 'y': bits(numerics.exp(x))}


def f16_vectors(rng):
    steps = np.array([1 + 2**-11, 1 + 3 * 2**-11, 2 + 2**-10, 65519.996, 65520, 65535, 70000, 2**-24, 2**-25, 3 * 2**-25, 2**-26, 2**-14, 2**-15, 1e-5, 6.1e-5, 0.1,
                      0.2, 1 / 3, 2049, 2051, 4098, 4102], f32)
    some_nan = np.array([0x7FC00000, 0xFFC00000, 0x7F800001, 0x7FFFFFFF, 0xFF812345], np.uint32).view(f32)
    x = np.concatenate([SPECIAL, some_nan, steps, -steps, around(1 + 2**-11, 65520, 2**-25, 2**-14), normal(rng, 60, scale=3), normal(rng, 60, scale=1e-6)])
    return {'x': bits(x), 'f16': ' '.join(f'{v:04x}' for v in numerics.f32_to_f16(x)), 'f32_cache': bits(numerics.cached(x, 'f32'))}


def dot_vectors(rng):
    cases = []
    for K in (1, 2, 7, 255, 256, 257, 512, 513, 600, 769):
        w, x = normal(rng, 3, K), normal(rng, 2, K)
        cases.append({'name': f'K = {K}', 'w': tensor(w), 'x': tensor(x), 'y': tensor(numerics.matmul(w, x))})
    for name, w, x in (('products of zeros: the sums begin at +0', [[-0.0, 0.0, -1]], [[1, -1, 0]]),
                       ('subnormals are kept', [[1e-30, 1e-20, -1e-45]], [[1e-12, 1e-22, 0.75]]),
                       ('a large product cancels: fused, not rounded in between', [[1, 4097, 4097]], [[-16785408, 4097, 1e-3]]),
                       ('overflow', [[3e38, 3e38, -3e38]], [[1, 1, 1]])):
        w, x = np.array(w, f32), np.array(x, f32)
        cases.append({'name': name, 'w': tensor(w), 'x': tensor(x), 'y': tensor(numerics.matmul(w, x))})
    return cases


def int4_dot_vectors(rng):
    cases = []
    for K, group in ((8, 4), (64, 32), (288, 32), (576, 64)):
        w, x = int4.quantize(normal(rng, 3, K, scale=0.1), group), normal(rng, 2, K)
        cases.append({'columns': K, 'group': group, 'packed': w.packed.tobytes().hex(), 'scales': int4.bits16(w.scales), 'x': tensor(x),
                      'y': tensor(numerics.matmul(w.dequantized(), x))})
    return cases


def activations(rng, T, K):
    """Blocks of 32 of very unlike sizes; some all zero, with a scale that is subnormal or rounds to zero, with halves, or not finite."""
    x = normal(rng, T, K)
    for t in range(T):
        for begin in range(0, K, 32):
            block = x[t, begin:begin + 32]
            block *= f32(10.0 ** rng.integers(-6, 4))
            match rng.integers(0, 12):
                case 0: block[:] = rng.choice(np.array([0, -0.0], f32), len(block))
                case 1: block[:] = rng.choice(SUBNORMAL, len(block))
                case 2: block[:] = np.concatenate([[127], rng.integers(-126, 126, len(block) - 1) + 0.5]) * 2.0 ** rng.integers(-20, 20)
    return x


SUBNORMAL = np.arange(-190, 191).astype(np.int32).__abs__().view(f32) * np.sign(np.arange(-190, 191)).astype(f32)


def int8_dot_vectors(rng):
    cases = []
    for K, group in ((8, 4), (64, 32), (96, 6), (48, 2), (72, 12), (100, 20), (288, 16), (544, 32), (576, 64), (600, 24), (768, 256), (792, 44), (1030, 1030)):
        w, x = int4.quantize(normal(rng, 3, K, scale=0.1), group), activations(rng, 4 if K < 300 else 2, K)
        cases.append(int8_case(f'{K} columns in groups of {group}', w, x))
    w, x = int4.quantize(normal(rng, 2, 96, scale=0.1), 32), normal(rng, 5, 96)
    x[0, 40], x[1, 3], x[2, 95], x[3, 64:] = np.nan, np.inf, -np.inf, 3e38
    x[4, :32] = 1e-45  # its scale is zero
    cases.append(int8_case('not finite, too large, too small', w, x))
    cases.append(int8_case('a scale of zero', int4.quantize(np.zeros((2, 64), f32), 32), normal(rng, 2, 64)))
    return cases


def int8_case(name, w, x):
    scales, q = numerics.quantized_activations(x)
    return {'name': name, 'columns': x.shape[1], 'group': w.weight.group, 'packed': w.packed.tobytes().hex(), 'scales': int4.bits16(w.scales), 'x': tensor(x),
            'x_scales': tensor(scales), 'x_q': [int(v) for v in q.ravel()], 'y': tensor(numerics.matmul_int8(w.weight, x))}


def rms_norm_vectors(rng):
    cases = []
    for E, eps, scale in ((1, 1e-6, 1), (5, 1e-5, 1), (60, 1e-6, 30), (257, 1e-5, 1e-3), (600, 1e-6, 2), (4, 1e-5, 0)):
        x, w = normal(rng, 2, E, scale=scale), normal(rng, E)
        cases.append({'eps': eps, 'x': tensor(x), 'weight': tensor(w), 'y': tensor(numerics.rms_norm(x, w, eps))})
    return cases


def rope_vectors(rng):
    cases = []
    for D, theta, positions in ((2, 10000.0, [0, 1, 9]), (14, 10000.0, [0, 1, 2, 37, 255, 256, 300]), (64, 100000.0, [0, 5, 8191]), (10, 500000.0, [3, 131071])):
        cos, sin = numerics.rope_tables(np.array(positions), D, theta)
        x = normal(rng, len(positions), 2, D)
        cases.append({'head_dim': D, 'theta': theta, 'positions': positions, 'cos': tensor(cos), 'sin': tensor(sin), 'x': tensor(x),
                      'y': tensor(numerics.rope(x, cos, sin))})
    return cases


LLAMA3 = {'rope_type': 'llama3', 'factor': 8.0, 'low_freq_factor': 1.0, 'high_freq_factor': 4.0, 'original_max_position_embeddings': 8192}
YARN = {'rope_type': 'yarn', 'factor': 4.0, 'original_max_position_embeddings': 32768}
ROPE_SCALINGS = [  # head size, theta, scaling
    (64, 10000.0, {'rope_type': 'linear', 'factor': 4.0}), (10, 500000.0, {'rope_type': 'linear', 'factor': 2.5}),
    (128, 500000.0, LLAMA3), (64, 500000.0, {**LLAMA3, 'factor': 32.0}), (16, 10000.0, {**LLAMA3, 'factor': 3.0, 'low_freq_factor': 1.5, 'original_max_position_embeddings': 512}),
    (128, 1000000.0, YARN), (80, 10000.0, {**YARN, 'factor': 16.0, 'original_max_position_embeddings': 4096, 'beta_fast': 24.0, 'beta_slow': 2.0}),
    (64, 150000.0, {**YARN, 'factor': 32.0, 'original_max_position_embeddings': 4096, 'truncate': False}),
    (64, 10000.0, {**YARN, 'factor': 40.0, 'original_max_position_embeddings': 4096, 'mscale': 1.0, 'mscale_all_dim': 0.707}),
    (64, 10000.0, {**YARN, 'factor': 40.0, 'mscale': 0.0, 'mscale_all_dim': 1.0}), (12, 10000.0, {**YARN, 'attention_factor': 0.75}),
    (8, 10000.0, {**YARN, 'factor': 2.0, 'original_max_position_embeddings': 8}), (14, 10000.0, {**YARN, 'beta_fast': 1.0, 'beta_slow': 1.0, 'truncate': False}),
    (14, 10000.0, {**YARN, 'factor': 1.0})]


def rope_scaling_vectors():
    cases = []
    for D, theta, scaling in ROPE_SCALINGS:
        f, attention_factor = numerics.rope_frequencies(D, theta, scaling)
        check_against_transformers(D, theta, scaling, f, attention_factor)
        cos, sin = numerics.rope_tables(np.array([0, 1, 517]), D, theta, scaling)
        cases.append({'head_dim': D, 'theta': theta, 'scaling': scaling, 'frequencies': bits(f), 'attention_factor': bits(attention_factor),
                      'positions': [0, 1, 517], 'cos': tensor(cos), 'sin': tensor(sin)})
    return cases


def check_against_transformers(D, theta, scaling, f, attention_factor):
    """The same numbers to an ulp or so of the powers, for torch's pow is not correctly rounded."""
    import transformers
    transformers.logging.set_verbosity_error()
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
    config = transformers.LlamaConfig(hidden_size=D, num_attention_heads=1, head_dim=D, max_position_embeddings=1 << 20, rope_parameters={**scaling, 'rope_theta': theta})
    theirs, their_factor = ROPE_INIT_FUNCTIONS[scaling['rope_type']](config, 'cpu')
    assert np.abs(theirs.numpy() / f - 1).max() < 4e-7 and f32(their_factor) == attention_factor, (D, theta, scaling, theirs.numpy() / f - 1, their_factor)


def head_norm_vectors(rng):
    cases = []
    for H, D, eps in ((1, 2, 1e-6), (3, 14, 1e-5), (2, 64, 1e-6), (1, 300, 1e-6)):
        x, w = normal(rng, 2, H, D, scale=3), normal(rng, D)
        cases.append({'eps': eps, 'x': tensor(x), 'weight': tensor(w), 'y': tensor(numerics.rms_norm(x.reshape(-1, D), w, eps).reshape(x.shape))})
    return cases


def swiglu_vectors(rng):
    gate = np.concatenate([normal(rng, 60, scale=4), np.array([0, -0.0, 87, 88, 89, 200, -86.9, -87, -88, -89, -200, 1e-40, 3e38, -3e38], f32)])
    up = normal(rng, len(gate), scale=2)
    return {'gate': bits(gate), 'up': bits(up), 'y': bits(numerics.swiglu(gate, up))}


def attention_vectors(rng):
    cases = []
    for name, S, H, G, D, positions, sharpness in (
            ('one segment, grouped queries', 6, 4, 2, 6, [0, 1, 5], 1), ('two segments', 300, 2, 1, 6, [0, 254, 255, 256, 257, 299], 2),
            ('three segments, weights that underflow', 530, 1, 1, 2, [511, 512, 529], 60), ('one head for each', 3, 3, 3, 14, [2], 1)):
        k, v = normal(rng, S, G, D), normal(rng, S, G, D, scale=2)
        q = np.zeros((S, H, D), f32)
        q[positions] = normal(rng, len(positions), H, D, scale=sharpness)
        cases.append({'name': name, 'positions': positions, 'q': tensor(q[positions]), 'k': tensor(k), 'v': tensor(v),
                      'y': tensor(numerics.attention(q, k, v)[positions])})
    return cases


def window_vectors(rng):
    cases = []
    for name, S, H, G, D, window, positions in (
            ('a window of one', 5, 2, 1, 4, 1, [0, 3, 4]), ('an odd window', 40, 4, 2, 6, 7, [0, 5, 6, 7, 8, 39]), ('wider than the context', 20, 1, 1, 6, 33, [0, 19]),
            ('a window over the end of a segment', 300, 2, 1, 6, 45, [254, 255, 256, 257, 299]), ('as wide as a segment', 530, 1, 1, 2, 256, [255, 256, 257, 511, 512, 529]),
            ('a segment of which the last key alone is seen', 600, 1, 1, 4, 257, [511, 512, 513, 599])):
        k, v = normal(rng, S, G, D), normal(rng, S, G, D, scale=2)
        q = np.zeros((S, H, D), f32)
        q[positions] = normal(rng, len(positions), H, D, scale=2)
        cases.append({'name': name, 'window': window, 'positions': positions, 'q': tensor(q[positions]), 'k': tensor(k), 'v': tensor(v),
                      'y': tensor(numerics.attention(q, k, v, window)[positions])})
    return cases


def main():
    rng = np.random.default_rng(6)
    with np.errstate(all='ignore'):
        content = {'exp': exp_vectors(rng), 'f32_to_f16': f16_vectors(rng), 'dot': dot_vectors(rng), 'int4_dot': int4_dot_vectors(rng),
                   'rms_norm': rms_norm_vectors(rng), 'rope': rope_vectors(rng), 'swiglu': swiglu_vectors(rng), 'attention': attention_vectors(rng),
                   'int8_dot': int8_dot_vectors(rng), 'rope_scaling': rope_scaling_vectors(), 'head_norm': head_norm_vectors(rng),
                   'window': window_vectors(rng)}
    io_json.write_vectors('numerics-ops.json', {
        'format': 'f32 bit patterns, 8 hex digits each, row-major; a NaN result may have any payload but where the cache stores it.'
                  ' dot, int4_dot, int8_dot: w [N, K], x [T, K], y [T, N]; x_scales [T, ceil(K/32)], x_q [T, K]. rope: cos, sin [T, D/2], x, y [T, H, D].'
                  ' attention: q, y [queries, H, D] at the given positions; k, v [S, Hkv, D], as read from the cache.'
                  ' rope_scaling: frequencies [D/2]; cos, sin [positions, D/2]. head_norm: x, y [T, H, D], weight [D]. window: as attention',
        **content}, packages=('numpy',), made_by='ops.py')


if __name__ == '__main__':
    main()
