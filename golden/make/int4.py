"""int4 weights (spec/safetensors.md): quantizing, packing, and vectors/int4.json."""
from dataclasses import dataclass

import numpy as np

import io_json
import numerics

f32 = np.float32


@dataclass(frozen=True)
class Quantized:
    scales: np.ndarray  # [N, K / group] f16
    q: np.ndarray  # [N, K] int8, -8 to 7

    @property
    def packed(self):
        """[N, K / 2] bytes: the even column in the low nibble, the odd one in the high nibble."""
        return pack(self.q)

    @property
    def weight(self):
        """As numerics.py reads it from the file."""
        return numerics.Int4.unpacked(self.packed, self.scales)

    def dequantized(self):
        return self.weight.dequantized()


def pack(q):
    nibbles = (q & 15).astype(np.uint8)
    return nibbles[:, 0::2] | nibbles[:, 1::2] << 4


def quantize(weight, group):
    """weight: [N, K] f32"""
    rows, columns = weight.shape
    assert columns % group == 0 and columns % 2 == 0
    grouped = weight.reshape(rows, columns // group, group)
    scales = (np.abs(grouped).max(-1) / f32(7)).astype(np.float16)
    assert np.isfinite(scales).all()
    stored = scales.astype(f32)[..., None]
    levels = np.rint(np.divide(grouped, stored, out=np.zeros_like(grouped), where=stored != 0))
    return Quantized(scales, np.clip(levels, -8, 7).astype(np.int8).reshape(rows, columns))


# Vectors

def bits16(values):
    return ' '.join(f'{b:04x}' for b in np.asarray(values, np.float16).view(np.uint16).ravel())


def bits32(values):
    return ' '.join(f'{b:08x}' for b in np.asarray(values, f32).view(np.uint32).ravel())


def case(name, weight, group):
    weight = np.asarray(weight, f32)
    quantized = quantize(weight, group)
    return {'name': name, 'rows': weight.shape[0], 'columns': weight.shape[1], 'group': group, 'weight': bits32(weight),
            'scales': bits16(quantized.scales), 'q': [int(q) for q in quantized.q.ravel()], 'packed': quantized.packed.tobytes().hex(),
            'dequantized': bits32(quantized.dequantized())}


def cases():
    rng = np.random.default_rng(4)
    normal = lambda rows, columns, scale=1.0: rng.standard_normal((rows, columns)) * scale
    yield case('hand example: the stored f16 scale decides', [[0.7, -1.4, 0, 0.29995]], 4)
    yield case('halves round to even', [[7, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3.5, 4.5, 5.5, 6.5, -3.5, -4.5, -5.5, -6.5, -7]], 16)
    yield case('a group of zeros, of either sign', [[0.0, -0.0, 0.0, -0.0, 1.0, -0.0, 0.5, -1.0]], 4)
    yield case('a scale that rounds to zero', [[1e-8, -1e-8, 1e-9, 0, 3e-7, 1.1e-6, -2e-7, 1e-7]], 4)
    yield case('a subnormal scale', normal(2, 8, 1e-5), 4)
    yield case('a scale that was rounded down clamps at -8', [[-1.0e-6, 0.9e-6, 0.5e-6, -0.2e-6]], 4)
    yield case('the largest weight accepted', [[458639.96875, -458639.96875, 32760.0, -65520.0]], 4)
    yield case('groups of 4', normal(3, 20), 4)
    yield case('groups of 32', normal(3, 96, 0.05), 32)
    yield case('groups of 64', normal(2, 128, 3), 64)
    yield case('groups of 6', normal(2, 18), 6)
    yield case('uneven rows', normal(4, 32) * np.array([[1e-4], [1], [30], [4000]]), 32)


def main():
    hand = np.array([[-8, 7, 1, -1]], np.int8)
    assert pack(hand).tobytes() == b'\x78\xf1'
    every = np.array([list(range(-8, 8))], np.int8)
    content = list(cases())
    assert content[0]['q'] == [4, -7, 0, 2]
    io_json.write_vectors('int4.json', {
        'format': 'weight and dequantized: f32 bit patterns, 8 hex digits; scales: f16, 4 hex digits; packed: bytes in hex; all row-major',
        'packing': [{'q': [int(v) for v in q.ravel()], 'packed': pack(q).tobytes().hex()} for q in (hand, every)],
        'refused': [{'weight': bits32(v), 'columns': len(v), 'group': g, 'why': why} for v, g, why in (
            ([458640.0, 0, 0, 0], 4, 'the f16 scale is infinite'),
            ([np.nan, 0, 0, 0], 4, 'a weight is not finite'),
            ([np.inf, 0, 0, 0], 4, 'a weight is not finite'),
            ([1.0, 2, 3, 4, 5, 6], 4, 'columns are no multiple of the group'),
            ([1.0, 2, 3], 3, 'an odd number of columns'))],
        'cases': content}, packages=('numpy',), made_by='int4.py')


if __name__ == '__main__':
    main()
