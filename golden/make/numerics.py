#!/usr/bin/env python3
"""spec/numerics.md, executable: the bits that a model's logits must have. Slow and plain on purpose.

    numerics.py MODEL_DIR 1,2,3 [f16|f32 [f32|int8]] OUT.safetensors      logits [tokens, vocab], F32

The options are what the cache stores and what activations become where they meet int4 weights.

Shapes: T tokens, E hidden, H heads, G KV heads, D head size, N rows of a weight, K columns.
"""
import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import tensor_file

SEGMENT = 256
BLOCK = 32  # activations that share a scale
f32, f64 = np.float32, np.float64


def from_bits(text):
    return np.array(int(text, 16), np.uint32).view(f32)[()]


def fma(a, b, c):
    """a * b + c of f32, rounded once. The product is exact in f64; the sum is rounded to odd, which makes the last rounding right."""
    product, c = np.multiply(a, b, dtype=f64), np.asarray(c, f64)
    total = np.asarray(product + c)
    bits = total.view(np.int64)
    doubtful = (bits & 0x1FFFFFFF) == 0x10000000  # halfway between two f32, seen from f64
    doubtful |= np.abs(total) < 2.0**-126
    doubtful &= np.isfinite(total)
    if doubtful.any():
        part = total - product
        error = (product - (total - part)) + (c - part)
        inexact_even = doubtful & (error != 0) & (bits & 1 == 0)
        away_from_zero = (error > 0) == (total > 0)
        total = (bits + np.where(inexact_even, np.where(away_from_zero, 1, -1), 0)).view(f64)
    return total.astype(f32)


def dot(a, b):
    """Sums over the last axis (the others broadcast): fma chains over segments of 256, then the segments' sums in order."""
    a, b = (np.ascontiguousarray(np.moveaxis(np.asarray(v, f32), -1, 0)) for v in (a, b))
    shape = np.broadcast_shapes(a.shape[1:], b.shape[1:])
    total = np.zeros(shape, f32)
    for begin in range(0, a.shape[0], SEGMENT):
        part = np.zeros(shape, f32)
        for k in range(begin, min(begin + SEGMENT, a.shape[0])):
            part = fma(a[k], b[k], part)
        total = total + part
    return total


def matmul(weight, x):
    """[N, K], [T, K] -> [T, N]"""
    return dot(weight[None], x[:, None])


EXP_LOG2E, EXP_ROUND = from_bits('3FB8AA3B'), from_bits('4B400000')
EXP_MINUS_LN2_HIGH, EXP_MINUS_LN2_LOW = from_bits('BF318000'), from_bits('395E8083')
EXP_POLYNOMIAL = [from_bits(c) for c in ('39506967', '3AB743CE', '3C088908', '3D2AA9C1', '3E2AAAAA', '3F000000')]


def exp(x):
    x = np.asarray(x, f32)
    y = np.clip(x, f32(-87), f32(88))
    n = fma(y, EXP_LOG2E, EXP_ROUND) - EXP_ROUND
    r = fma(n, EXP_MINUS_LN2_HIGH, y)
    r = fma(n, EXP_MINUS_LN2_LOW, r)
    p = np.full_like(r, EXP_POLYNOMIAL[0])
    for c in EXP_POLYNOMIAL[1:]:
        p = fma(p, r, c)
    e = fma(fma(p, r, f32(1)), r, f32(1))
    power = (np.nan_to_num(n).astype(np.int32) + 127 << 23).view(f32)  # 2^n, from -126 to 127
    return np.where(x < -87, f32(0), e * power)


def rms_norm(x, weight, eps):
    """[T, E]"""
    ss = dot(x, x)
    r = f32(1) / np.sqrt(ss / f32(x.shape[-1]) + f32(eps))
    return (x * r[:, None]) * weight


def rope_frequencies(D, theta, scaling=None):
    """[D/2] f32, and what cosines and sines are multiplied by. The scaling is as config.json has it, with all its numbers."""
    e = np.arange(0, D, 2).astype(f32) / f32(D)
    b = _f32_of_library(np.power(f64(theta), f64(e)))
    f, attention_factor = f32(1) / b, f32(1)
    match scaling and scaling['rope_type']:
        case 'linear':
            f = f / f32(scaling['factor'])
        case 'llama3':
            f = llama3_frequencies(f, scaling)
        case 'yarn':
            f, attention_factor = yarn_frequencies(b, theta, scaling), f32(yarn_attention_factor(scaling))
    return f, attention_factor


def llama3_frequencies(f, scaling):
    factor, context = f32(scaling['factor']), scaling['original_max_position_embeddings']
    low, high = scaling['low_freq_factor'], scaling['high_freq_factor']
    wavelength = (f32(1) / f) * f32(2 * math.pi)
    turns = (f32(1) / wavelength) * f32(context)
    s = (turns - f32(low)) / f32(high - low)
    blended = ((f32(1) - s) * f) / factor + s * f
    return np.where(wavelength < f32(context / high), f, np.where(wavelength > f32(context / low), f / factor, blended))


def yarn_frequencies(b, theta, scaling):
    D, context = 2 * len(b), scaling['original_max_position_embeddings']

    def pair_of(turns):
        return D * math.log(context / (turns * 2 * math.pi)) / (2 * math.log(theta))

    low, high = pair_of(scaling.get('beta_fast') or 32), pair_of(scaling.get('beta_slow') or 1)
    if scaling.get('truncate', True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, D - 1)
    if low == high:
        high += 0.001
    ramp = np.clip((np.arange(D // 2).astype(f32) - f32(low)) / f32(high - low), f32(0), f32(1))
    kept = f32(1) - ramp
    return (f32(1) / (f32(scaling['factor']) * b)) * (f32(1) - kept) + (f32(1) / b) * kept


def yarn_attention_factor(scaling):
    magnitude = lambda mscale: 0.1 * mscale * math.log(scaling['factor']) + 1.0 if scaling['factor'] > 1 else 1.0
    if scaling.get('attention_factor') is not None:
        return scaling['attention_factor']
    if scaling.get('mscale') and scaling.get('mscale_all_dim'):
        return magnitude(scaling['mscale']) / magnitude(scaling['mscale_all_dim'])
    return magnitude(1)


def rope_tables(positions, D, theta, scaling=None):
    """cos, sin: [T, D/2]"""
    f, attention_factor = rope_frequencies(D, theta, scaling)
    angle = f64(f[None] * positions[:, None].astype(f32))
    return _f32_of_library(np.cos(angle)) * attention_factor, _f32_of_library(np.sin(angle)) * attention_factor


def _f32_of_library(values):
    """f64 results of the platform's library as f32, refused where an error of two ulps of f64 could change the f32."""
    bits = np.ascontiguousarray(values, f64).view(np.int64)
    assert (np.abs((bits & 0x1FFFFFFF) - 0x10000000) > 2).all(), 'a library function came too near a rounding boundary'
    return values.astype(f32)


def rope(x, cos, sin):
    """[T, H, D]"""
    cos, sin = cos[:, None], sin[:, None]
    lo, hi = np.split(x, 2, axis=-1)
    return np.concatenate([fma(lo, cos, -(hi * sin)), fma(hi, cos, lo * sin)], -1)


def f32_to_f16(x):
    """f16 bits: nearest even, overflow to infinity, every NaN 7E00."""
    return np.where(np.isnan(x), np.uint16(0x7E00), np.asarray(x, f32).astype(np.float16).view(np.uint16))


def cached(x, kv):
    """What the cache gives back."""
    return f32_to_f16(x).view(np.float16).astype(f32) if kv == 'f16' else np.where(np.isnan(x), from_bits('7FC00000'), x)


def attention(q, k, v, window=None):
    """q [T, H, D]; k, v [T, G, D], as read from the cache; query t sees position j if t - window < j <= t. -> [T, H, D]"""
    T, H, D = q.shape
    shared_by = H // k.shape[1]
    k, v = (np.repeat(a, shared_by, axis=1).transpose(1, 0, 2) for a in (k, v))  # [H, T, D]
    qs = q.transpose(1, 0, 2) * f32(1 / np.sqrt(f64(D)))
    z = dot(qs[:, :, None], k[:, None])  # [H, T queries, T positions]
    window = window or T
    visible = np.tri(T, dtype=bool) & ~np.tri(T, k=-window, dtype=bool)
    segments = []
    for begin in range(0, T, SEGMENT):
        end = min(begin + SEGMENT, T)
        queries = slice(begin, min(T, end - 1 + window))  # those that see anything of the segment
        m = np.where(visible[queries, begin:end], z[:, queries, begin:end], f32(-np.inf)).max(-1)  # [H, queries]
        p = exp(z[:, queries, begin:end] - m[..., None])
        l, o = np.zeros_like(m), np.zeros(m.shape + (D,), f32)
        for j in range(end - begin):
            see = slice(j, j + window)  # of the queries, those that see position begin + j
            l[:, see] = l[:, see] + p[:, see, j]
            o[:, see] = fma(p[:, see, j, None], v[:, begin + j, None], o[:, see])
        segments.append((queries, m, l, o))
    M = np.full((H, T), -np.inf, f32)
    for queries, m, _, _ in segments:
        M[:, queries] = np.maximum(M[:, queries], m)
    L, O = np.zeros((H, T), f32), np.zeros((H, T, D), f32)
    for queries, m, l, o in segments:
        c = exp(m - M[:, queries])
        L[:, queries] = fma(c, l, L[:, queries])
        O[:, queries] = fma(c[..., None], o, O[:, queries])
    return (O / L[..., None]).transpose(1, 0, 2)


def swiglu(gate, up):
    return (gate / (f32(1) + exp(-gate))) * up


@dataclass(frozen=True)
class Int4:
    """A weight [N, K]: q -8 to 7, scales [N, K/group] f32."""
    q: np.ndarray
    scales: np.ndarray

    @staticmethod
    def unpacked(qweight, scales):
        """[N, K/2] bytes, [N, K/group] scales"""
        q = np.stack([qweight & 15, qweight >> 4], -1).reshape(qweight.shape[0], -1).astype(np.int8)
        return Int4(np.where(q > 7, q - 16, q), np.asarray(scales, f32))

    @property
    def group(self):
        return self.q.shape[1] // self.scales.shape[1]

    def dequantized(self):
        return self.q.astype(f32) * np.repeat(self.scales, self.group, axis=1)


def quantized_activations(x):
    """[T, K] -> scales [T, blocks] f32 and q [T, K], -127 to 127, of blocks of 32 columns."""
    scales, q = [], np.zeros(x.shape, np.int32)
    for begin in range(0, x.shape[1], BLOCK):
        a = x[:, begin:begin + BLOCK]
        finite = np.isfinite(a).all(-1)
        scale = np.where(finite, np.abs(a).max(-1) / f32(127), f32(np.nan))
        some = (scale > 0)[:, None]
        levels = np.rint(np.divide(a, scale[:, None], out=np.zeros_like(a), where=some))
        q[:, begin:begin + BLOCK] = np.clip(levels, -127, 127)
        scales.append(scale)
    return np.stack(scales, -1), q


def matmul_int8(weight, x):
    """An Int4 [N, K] and [T, K] -> [T, N]: integer dots of the columns that share both scales, then fma in order."""
    scales, q = quantized_activations(x)
    total = np.zeros((x.shape[0], weight.q.shape[0]), f32)
    for begin in range(0, x.shape[1], SEGMENT):
        end = min(begin + SEGMENT, x.shape[1])
        cuts = sorted({k for k in range(begin, end) if k % BLOCK == 0 or k % weight.group == 0} | {end})
        part = np.zeros_like(total)
        for k, to in zip(cuts, cuts[1:]):
            dots = q[:, k:to] @ weight.q[:, k:to].T.astype(np.int32)
            scale = weight.scales[None, :, k // weight.group] * scales[:, None, k // BLOCK]
            part = fma(dots.astype(f32), scale, part)
        total = total + part
    return total


def linear(w, module, x, activations):
    """A layer's projection, [T, K] -> [T, N]; the weight is [N, K], or an Int4; a bias [N] is added if the module has one."""
    weight, bias = w[module + '.weight'], w.get(module + '.bias')
    if not isinstance(weight, Int4):
        y = matmul(weight, x)
    else:
        y = matmul_int8(weight, x) if activations == 'int8' else matmul(weight.dequantized(), x)
    return y if bias is None else y + bias


def load_tensors(directory):
    index = directory / 'model.safetensors.index.json'
    names = sorted(set(json.loads(index.read_text())['weight_map'].values())) if index.exists() else ['model.safetensors']
    tensors = {}
    for name in names:
        tensors |= tensor_file.read(directory / name)[0]
    for name in [n.removesuffix('.qweight') for n in tensors if n.endswith('.qweight')]:
        tensors[name] = Int4.unpacked(tensors.pop(name + '.qweight'), tensors.pop(name + '.scales'))
    bare = ('embed_tokens.', 'layers.', 'norm.')  # of a model without an output projection
    return {'model.' + name if name.startswith(bare) else name: values for name, values in tensors.items()}


def unstacked(config, w):
    """The weights of q, k and v apart, and those of gate and up, if a tensor holds several."""
    heads, D = config['num_attention_heads'], config.get('head_dim') or config['hidden_size'] // config['num_attention_heads']
    kv = (config.get('num_key_value_heads') or heads) * D
    apart = {}
    for name, values in w.items():
        if name.endswith('.qkv_proj.weight'):
            parts = zip('qkv', np.split(values, [heads * D, heads * D + kv]))
            apart |= {name.replace('.qkv_', f'.{part}_'): rows for part, rows in parts}
        elif name.endswith('.gate_up_proj.weight'):
            parts = zip(('gate', 'up'), np.split(values, 2))
            apart |= {name.replace('.gate_up_', f'.{part}_'): rows for part, rows in parts}
        else:
            apart[name] = values
    return apart


def rope_of(config):
    """theta, and the scaling with one spelling of its keys; of transformers 4 or 5."""
    rope = config.get('rope_scaling') or config.get('rope_parameters') or {}
    theta = float(rope.get('rope_theta', config.get('rope_theta', 10000.0)))
    original = config.get('original_max_position_embeddings') or rope.get('original_max_position_embeddings') or config.get('max_position_embeddings')
    return theta, {**rope, 'rope_type': rope.get('rope_type') or rope.get('type', 'default'), 'original_max_position_embeddings': original}


def windows_of(config):
    """Positions that a query sees in each layer, None for all."""
    layers, window = config['num_hidden_layers'], config.get('sliding_window', 4096)
    if config['model_type'] in ('mistral', 'phi3'):
        return [config.get('sliding_window', 4096 if config['model_type'] == 'mistral' else None)] * layers
    if not config.get('use_sliding_window'):
        return [None] * layers
    types = config.get('layer_types')
    if config['model_type'] == 'smollm3':
        types = types or ['full_attention' if rotates else 'sliding_attention' for rotates in rotary_layers(config)]
    slides = [kind == 'sliding_attention' for kind in types] if types else [n >= config.get('max_window_layers', 28) for n in range(layers)]
    return [window if sliding else None for sliding in slides]


def rotary_layers(config):
    """Whether queries and keys are rotated, for each layer."""
    layers = range(config['num_hidden_layers'])
    if config['model_type'] != 'smollm3':
        return [True for _ in layers]
    given = config.get('no_rope_layers')
    return [bool(given[n]) if given else (n + 1) % config.get('no_rope_layer_interval', 4) != 0 for n in layers]


def hidden_states(config, w, tokens, kv, activations):
    """After the final norm: [T, E]"""
    heads, hidden = config['num_attention_heads'], config['hidden_size']
    D = config.get('head_dim') or hidden // heads
    eps = float(config.get('rms_norm_eps', 1e-6))
    T = len(tokens)
    cos, sin = rope_tables(np.arange(T), D, *rope_of(config))
    windows = windows_of(config)

    rotates, norms_follow = rotary_layers(config), config['model_type'] == 'olmo2'

    def turned(x, module, rotate):
        """Queries or keys [T, heads, D], normalized by head or all together if the model has a norm for that."""
        scale = w.get(module + '_norm.weight')
        if scale is not None:
            x = rms_norm(x.reshape(-1, scale.size), scale, eps).reshape(x.shape)
        return rope(x, cos, sin) if rotate else x

    def before(x, module):
        return x if norms_follow else rms_norm(x, w[module + '.weight'], eps)

    def after(y, module):
        return rms_norm(y, w[module + '.weight'], eps) if norms_follow else y

    x = w['model.embed_tokens.weight'][tokens]
    for layer in range(config['num_hidden_layers']):
        p = f'model.layers.{layer}.'
        h = before(x, p + 'input_layernorm')
        q, k, v = (linear(w, p + f'self_attn.{n}_proj', h, activations).reshape(T, -1, D) for n in 'qkv')
        q, k = turned(q, p + 'self_attn.q', rotates[layer]), turned(k, p + 'self_attn.k', rotates[layer])
        o = attention(q, cached(k, kv), cached(v, kv), windows[layer]).reshape(T, -1)
        x = x + after(linear(w, p + 'self_attn.o_proj', o, activations), p + 'post_attention_layernorm')
        h = before(x, p + 'post_attention_layernorm')
        h = swiglu(linear(w, p + 'mlp.gate_proj', h, activations), linear(w, p + 'mlp.up_proj', h, activations))
        x = x + after(linear(w, p + 'mlp.down_proj', h, activations), p + 'post_feedforward_layernorm')
    return rms_norm(x, w['model.norm.weight'], eps)


def forward(directory, tokens, kv='f16', activations='f32'):
    """Logits [T, V], hidden states after the final norm [T, E]; a bigram has none of these."""
    config, w = json.loads((directory / 'config.json').read_text()), load_tensors(directory)
    if config.get('tl_arch') == 'bigram':
        return w['bigram.weight'][tokens], None
    w = unstacked(config, w)
    hidden = hidden_states(config, w, tokens, kv, activations)
    embedding = w['model.embed_tokens.weight']
    head = w.get('lm_head.weight', embedding) if config.get('tie_word_embeddings') else w['lm_head.weight']
    return matmul(head, hidden), hidden


def logits(directory, tokens, kv='f16', activations='f32'):
    return forward(directory, tokens, kv, activations)[0]


if __name__ == '__main__':
    directory, ids, *options, out = sys.argv[1:]
    y = logits(Path(directory), [int(t) for t in ids.split(',')], *options)
    tensor_file.write(Path(out), {'logits': ('F32', y)})
