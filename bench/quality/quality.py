#!/usr/bin/env python3
"""What int4 weights and int8 activations cost in quality: a model's next-token distributions against those of its stored weights.

    quality.py MODEL TEXT [--tokens 2000] [--group 32] [--tutti ../../tutti] [--keep DIR]

TEXT is a UTF-8 file; its first tokens are fed teacher-forced, and the logits of every position compared: the mean Kullback-Leibler
divergence from the stored weights' distribution, the share of positions with the same best token, and the perplexity of the text.
Needs numpy and tokenizers. Logits take a vocabulary's worth of f32 a token, in a folder that is removed unless it is --keep's.
"""
import argparse
import json
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

ROWS = 64  # positions that are compared at a time


def logits_file(tutti, model, tokens, out, *options):
    command = [tutti, 'logits', model, '--tokens', ','.join(map(str, tokens)), '--all', '--out', out, '--device', 'host', *options]
    subprocess.run([str(part) for part in command], check=True)
    return out


def logits(file):
    """[tokens, vocabulary], mapped."""
    with file.open('rb') as f:
        size, = struct.unpack('<Q', f.read(8))
        entry = json.loads(f.read(size))['logits']
    return np.memmap(file, '<f4', 'r', offset=8 + size + entry['data_offsets'][0], shape=tuple(entry['shape']))


def log_softmax(rows):
    rows = rows.astype(np.float64)
    rows -= rows.max(-1, keepdims=True)
    return rows - np.log(np.exp(rows).sum(-1, keepdims=True))


def compare(expected, actual, tokens):
    """Mean KL divergence in nats and its standard error, share of equal best tokens, perplexity of the text."""
    divergences, same, surprises = [], 0, []
    for begin in range(0, len(tokens), ROWS):
        p, q = (log_softmax(rows[begin:begin + ROWS]) for rows in (expected, actual))
        divergences.extend((np.exp(p) * (p - q)).sum(-1))
        same += int((p.argmax(-1) == q.argmax(-1)).sum())
        following = tokens[begin + 1:begin + 1 + len(q)]
        surprises.extend(-q[np.arange(len(following)), following])
    divergences = np.array(divergences)
    return divergences.mean(), divergences.std() / np.sqrt(len(divergences)), same / len(tokens), float(np.exp(np.mean(surprises)))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument('model', type=Path)
    arguments.add_argument('text', type=Path)
    arguments.add_argument('--tokens', type=int, default=2000)
    arguments.add_argument('--group', type=int, default=32)
    arguments.add_argument('--tutti', type=Path, default=Path(__file__).resolve().parent.parent.parent / 'tutti')
    arguments.add_argument('--keep', type=Path)
    options = arguments.parse_args()

    tokenizer = Tokenizer.from_file(str(options.model / 'tokenizer.json'))
    tokens = tokenizer.encode(options.text.read_text()).ids[:options.tokens]
    assert len(tokens) == options.tokens, f'{options.text} has only {len(tokens)} tokens'
    folder = options.keep or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    try:
        int4 = ('--quant', f'int4:{options.group}')
        runs = {'as stored': (), f'int4:{options.group}': int4, f'int4:{options.group}, int8 activations': (*int4, '--activations', 'int8')}
        files = {name: logits_file(options.tutti, options.model, tokens, folder / f'{i}.safetensors', *extra)
                 for i, (name, extra) in enumerate(runs.items())}
        print(f'{options.model.name}, {len(tokens)} tokens of {options.text.name}')
        print('| weights | KL from as stored, nats | same best token | perplexity |')
        print('|---|---|---|---|')
        stored = logits(files['as stored'])
        for name, file in files.items():
            divergence, error, same, perplexity = compare(stored, logits(file), tokens)
            print(f'| {name} | {divergence:.4f} ± {error:.4f} | {same:.1%} | {perplexity:.2f} |')
    finally:
        if not options.keep:
            shutil.rmtree(folder)


if __name__ == '__main__':
    main()
