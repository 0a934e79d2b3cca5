"""How every golden file is written: one fixed JSON layout, floats as bit patterns, the versions it was made with."""
import json
import math
import platform
import struct
from importlib import metadata
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent


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
    """Objects of containers one key a line; a list of scalars, or a small object, on one line."""
    pad = ' ' * (indent + 1)
    flat = json.dumps(value, ensure_ascii=False, allow_nan=False)
    scalar = lambda v: not isinstance(v, (dict, list))
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if scalar(value) or isinstance(value, list) and all(map(scalar, values)) or len(flat) <= 160:
        return flat
    if isinstance(value, list):
        body = [render(v, indent + 1) for v in value]
        return '[\n' + ',\n'.join(pad + line for line in body) + '\n' + pad[1:] + ']'
    body = [json.dumps(k, ensure_ascii=False) + ': ' + render(v, indent + 1) for k, v in value.items()]
    return '{\n' + ',\n'.join(pad + line for line in body) + '\n' + pad[1:] + '}'


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((render(value) + '\n').encode())


def write_vectors(name, content, packages, made_by):
    """golden/vectors/NAME, with what it was made by and with ahead of its content."""
    write(GOLDEN / 'vectors' / name, {'made_by': f'golden/make/{made_by}', 'made_with': made_with(packages), **content})
