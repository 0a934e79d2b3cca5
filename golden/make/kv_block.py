"""The export envelope and the prefix hashes of spec/kv-block.md, and their vectors."""
import hashlib
import struct
import zlib

import numpy as np

import io_json
from pcg32 import Pcg32

MAGIC, VERSION = b'TUTTIKVB', 1
DTYPES = {'f16': (1, np.uint16), 'f32': (2, np.uint32)}
HASH_BYTES = 16


def root(identity):
    return hashlib.sha256(identity.encode()).digest()[:HASH_BYTES]


def chain(parent, tokens):
    return hashlib.sha256(parent + struct.pack(f'<{len(tokens)}I', *tokens)).digest()[:HASH_BYTES]


def envelope(dtype, block_tokens, layers, kv_heads, head_dim, root_hash, fills, payload):
    """payload: bit patterns [blocks, layers, 2, kv_heads, block_tokens, head_dim]"""
    code, unsigned = DTYPES[dtype]
    assert payload.shape == (len(fills), layers, 2, kv_heads, block_tokens, head_dim) and payload.dtype == unsigned
    body = payload.astype(payload.dtype.newbyteorder('<')).tobytes()
    content = MAGIC + struct.pack('<7I', VERSION, code, len(fills), block_tokens, layers, kv_heads, head_dim) + root_hash
    content += struct.pack('<Q', len(body)) + struct.pack(f'<{len(fills)}I', *fills) + body
    return content + struct.pack('<I', zlib.crc32(content))


def random_payload(rng, shape, unsigned, fills, block_tokens):
    """Finite random numbers; slots past a block's fill hold zeros."""
    high = [rng.next_u32() for _ in range(int(np.prod(shape)))]
    values = np.array([(h >> 16) & 0xFFFF if unsigned == np.uint16 else h for h in high], unsigned).reshape(shape)
    exponent = {np.uint16: 0x7C00, np.uint32: 0x7F800000}[unsigned]
    values = np.where(values & exponent == exponent, values ^ unsigned(exponent), values)
    filled = np.arange(block_tokens)[None] < np.array(fills)[:, None]  # [blocks, block_tokens]
    return np.where(filled[:, None, None, None, :, None], values, 0).astype(unsigned)


def main():
    rng, files = Pcg32(5, 54), {}
    model = 'an identity string; the engine defines what is in it: größe=7'
    for dtype, geometry, fills in (('f16', dict(block_tokens=4, layers=2, kv_heads=3, head_dim=6), [4, 4, 1]),
                                   ('f32', dict(block_tokens=3, layers=1, kv_heads=2, head_dim=4), [3, 0])):
        unsigned = DTYPES[dtype][1]
        shape = (len(fills), geometry['layers'], 2, geometry['kv_heads'], geometry['block_tokens'], geometry['head_dim'])
        payload = random_payload(rng, shape, unsigned, fills, geometry['block_tokens'])
        data = envelope(dtype, **geometry, root_hash=root(model), fills=fills, payload=payload)
        name = f'kv-block-{dtype}.bin'
        (io_json.GOLDEN / 'vectors' / name).write_bytes(data)
        digits = unsigned().itemsize * 2
        slabs = [{'block': b, 'layer': l, 'kind': kind, 'bits': ' '.join(f'{v:0{digits}x}' for v in payload[b, l, i].ravel())}
                 for b in range(shape[0]) for l in range(shape[1]) for i, kind in enumerate('kv')]
        files[name] = {'dtype': dtype, 'blocks': len(fills), **geometry, 'root': root(model).hex(), 'fills': fills,
                       'bytes': len(data), 'crc32': f'{zlib.crc32(data[:-4]):08x}', 'slabs': slabs}
    roots = [{'identity': text, 'root': root(text).hex()} for text in ('', model, 'tutti')]
    chains, parent = [], root(model)
    for tokens in ([0, 1, 2, 3], [49151, 7, 7, 4294967295], [0, 1, 2, 3], [5]):
        own = chain(parent, tokens)
        chains.append({'parent': parent.hex(), 'tokens': tokens, 'hash': own.hex()})
        parent = own
    io_json.write_vectors('kv-block.json', {
        'format': 'bits: [kv_heads][block_tokens][head_dim], hex, most significant digit first; hashes and crc32: hex',
        'roots': roots, 'chains': chains, 'files': files}, packages=('numpy',), made_by='kv_block.py')


if __name__ == '__main__':
    main()
