"""How every golden file is written: one fixed JSON layout, floats as bit patterns, the versions it was made with."""
import json
import math
import platform
import struct
from importlib import metadata
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent
SPEC = GOLDEN / 'spec'


def f64_bits(value):
    return struct.pack('>d', value).hex()


def f64(value):
    """An f64 as its bits (they decide) and, for the reader, its shortest decimal."""
    return {'bits': f64_bits(value), 'value': repr(value) if not math.isfinite(value) else value}


def f64_from_bits(text):
    return struct.unpack('>d', bytes.fromhex(text))[0]


def made_with(packages):
    return {'python': platform.python_version(), **{name: metadata.version(name) for name in packages}}


def render(value, indent=0):
    """JSON with a line for each element, but for what fits on one line and for lists of numbers."""
    flat = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if len(flat) <= 200 or not isinstance(value, (dict, list)) or all(isinstance(v, (int, float)) for v in value):
        return flat
    opening, closing = '{}' if isinstance(value, dict) else '[]'
    labels = [json.dumps(k, ensure_ascii=False) + ': ' for k in value] if isinstance(value, dict) else [''] * len(value)
    elements = value.values() if isinstance(value, dict) else value
    pad = ' ' * (indent + 1)
    return opening + '\n' + ',\n'.join(pad + label + render(v, indent + 1) for label, v in zip(labels, elements)) + '\n' + pad[1:] + closing


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((render(value) + '\n').encode())


def write_vectors(name, content, packages, made_by):
    """golden/vectors/NAME, with what it was made by and with ahead of its content."""
    write(GOLDEN / 'vectors' / name, {'made_by': f'golden/make/{made_by}', 'made_with': made_with(packages), **content})
