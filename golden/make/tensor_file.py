"""safetensors files as arrays, read and written plainly (spec/safetensors.md), bytes in the order given."""
import json
import struct

import numpy as np

STORED = {'F32': '<f4', 'F16': '<f2', 'BF16': '<u2', 'U8': 'u1'}


def read(path):
    """Tensors by name: F32, F16 and BF16 widened to f32, U8 as it is; and the metadata."""
    raw = path.read_bytes()
    size, = struct.unpack('<Q', raw[:8])
    header = json.loads(raw[8:8 + size])
    metadata = header.pop('__metadata__', {})
    return {name: _widened(raw[8 + size:], entry) for name, entry in header.items()}, metadata


def _widened(data, entry):
    begin, end = entry['data_offsets']
    a = np.frombuffer(data[begin:end], STORED[entry['dtype']]).reshape(entry['shape'])
    return a if entry['dtype'] == 'U8' else bf16_to_f32(a) if entry['dtype'] == 'BF16' else a.astype(np.float32)


def write(path, tensors, metadata=None):
    """tensors: name -> (dtype, array of the values); F32 values must be representable in the dtype, or are rounded to nearest even."""
    header, blobs, end = {'__metadata__': metadata} if metadata else {}, [], 0
    for name, (dtype, values) in tensors.items():
        a = f32_to_bf16(values) if dtype == 'BF16' else np.asarray(values)
        blob = np.ascontiguousarray(a, STORED[dtype]).tobytes()
        header[name] = {'dtype': dtype, 'shape': list(a.shape), 'data_offsets': [end, end + len(blob)]}
        blobs.append(blob)
        end += len(blob)
    text = json.dumps(header, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 8)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack('<Q', len(text)) + text + b''.join(blobs))


def bf16_to_f32(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def f32_to_bf16(values):
    """Finite values, to nearest even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
