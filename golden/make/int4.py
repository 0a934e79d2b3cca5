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

    def dequantized(self):
        return numerics.dequantized(self.packed, self.scales.astype(f32))


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
