"""The sampler of spec/sampling.md in plain Python, and its vectors. Every sum is a left-to-right loop over f64."""
import math
import struct
from dataclasses import asdict, dataclass

import correct
import io_json
from pcg32 import MASK64, Pcg32, stream

TOKENS = 12


@dataclass(frozen=True)
class SamplingParams:
    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0


@dataclass(frozen=True)
class Math:
    exp: callable
    log: callable


CORRECT = Math(correct.exp, correct.log)
CPYTHON = Math(math.exp, math.log)


def penalized(logits, params, prompt, output):
    l = [float(x) for x in logits]
    for i in set(prompt) | set(output):
        l[i] = l[i] / params.repetition_penalty if l[i] > 0.0 else l[i] * params.repetition_penalty
    for i in set(output):
        l[i] = l[i] - (params.frequency_penalty * output.count(i) + params.presence_penalty)
    return l


def softmax(l, ids, maths):
    """Probabilities of ascending ids."""
    m = max(l[i] for i in ids)
    e = {i: maths.exp(l[i] - m) for i in ids}
    z = 0.0
    for i in ids:
        z += e[i]
    return {i: e[i] / z for i in ids}


def logprob(l, token, maths):
    m = max(l)
    z = 0.0
    for x in l:
        z += maths.exp(x - m)
    return (l[token] - m) - maths.log(z)


def kept_ids(l, params, maths):
    """The ids that top-k, then top-p, then min-p leave, ascending."""
    by_logit = sorted(range(len(l)), key=lambda i: (-l[i], i))
    if 0 < params.top_k < len(l):
        by_logit = by_logit[:params.top_k]
    if params.top_p < 1.0:
        q = softmax(l, sorted(by_logit), maths)
        c = 0.0
        for n, i in enumerate(by_logit):
            c += q[i]
            if c >= params.top_p:
                by_logit = by_logit[:n + 1]
                break
    if params.min_p > 0.0:
        q = softmax(l, sorted(by_logit), maths)
        floor = params.min_p * max(q.values())
        by_logit = [i for i in by_logit if q[i] >= floor]
    return sorted(by_logit)


def sample(logits, params, prompt, output, rng, maths=CORRECT):
    """One token: its id and its logprob before temperature."""
    l = penalized(logits, params, prompt, output)
    if params.temperature == 0.0:
        token = max(range(len(l)), key=lambda i: (l[i], -i))
        return token, logprob(l, token, maths)
    scaled = [x / params.temperature for x in l]
    ids = kept_ids(scaled, params, maths)
    q = softmax(scaled, ids, maths)
    u = rng.uniform_f64()
    token, c = ids[-1], 0.0
    for i in ids:
        c += q[i]
        if u < c:
            token = i
            break
    return token, logprob(l, token, maths)


# Vectors

def f32(x):
    return struct.unpack('<f', struct.pack('<f', x))[0]


def row_bits(row):
    return ' '.join(struct.pack('>f', x).hex() for x in row)


class Rows:
    """Rows of random logits, roughly normal, rounded to f32."""

    def __init__(self, seed):
        self.rng = Pcg32(seed, 54)

    def normal(self):
        total = -6.0
        for _ in range(12):
            total += self.rng.uniform_f64()
        return total

    def rows(self, vocab, scale, change=lambda row, t: row):
        return [[f32(x) for x in change([self.normal() * scale for _ in range(vocab)], t)] for t in range(TOKENS)]


def cases():
    """(name, parameters, prompt, seed, rows)"""
    random = Rows(1)
    rows = random.rows
    same = lambda row: [[f32(x) for x in row]] * TOKENS
    inf = math.inf
    P = SamplingParams

    yield 'hand example', P(1.0, top_k=3, top_p=0.8), [], 0, same([1, 3, 2, 3, -1])
    yield 'greedy', P(), [], 0, rows(23, 3)
    yield 'greedy, ties to the lowest id', P(), [2], 1, same([1, 4, 4, -2, 4])
    yield 'greedy, every penalty', P(0.0, repetition_penalty=1.3, presence_penalty=0.4, frequency_penalty=0.7), [3, 3, 5], 2, \
        same([2.5, 2.25, 2.0, 3.5, -0.5, 3.75, 1.0])
    yield 'greedy ignores top-k, top-p and min-p', P(0.0, 1, 0.1, 0.9), [], 3, rows(9, 2)
    yield 'temperature 1', P(1.0), [], 42, rows(31, 2)
    yield 'temperature 0.7', P(0.7), [4, 4, 9], 7, rows(17, 2)
    yield 'temperature 1e-4', P(1e-4), [], 8, rows(12, 0.001)
    yield 'temperature 1e4', P(1e4), [], 9, rows(40, 5)
    yield 'top-k', P(1.0, top_k=5), [], 10, rows(33, 1.5)
    yield 'top-k 1 still draws', P(1.3, top_k=1), [], 11, rows(8, 1)
    yield 'top-k cuts inside a tie', P(0.9, top_k=3), [], 12, same([1, 2, 2, 2, 2, -1])
    yield 'top-k at the vocabulary is off', P(1.0, top_k=6), [], 13, rows(6, 1)
    yield 'top-k above the vocabulary is off', P(1.0, top_k=1000), [], 14, rows(6, 1)
    yield 'top-p', P(1.0, top_p=0.75), [], 15, rows(29, 2)
    yield 'top-p small keeps one id', P(1.0, top_p=1e-9), [], 16, rows(10, 1)
    yield 'top-p reached exactly', P(1.0, top_p=0.5), [], 17, same([0, 0, 0, 0, -inf])
    yield 'top-p with ties', P(0.8, top_p=0.6), [], 18, same([3, 1, 3, 1, 3, 1, 3, 1])
    yield 'min-p', P(1.0, min_p=0.1), [], 19, rows(27, 2)
    yield 'min-p 1 keeps the maxima', P(1.0, min_p=1.0), [], 20, same([5, 2, 5, 4.999, 5])
    yield 'min-p after top-k and top-p', P(1.5, 12, 0.9, 0.2), [], 21, rows(40, 1.5)
    yield 'repetition penalty', P(1.0, repetition_penalty=1.8), [0, 2, 2, 11], 22, rows(13, 1.5)
    yield 'repetition penalty below 1', P(1.0, repetition_penalty=0.6), [1], 23, rows(13, 1)
    yield 'presence penalty', P(1.0, presence_penalty=1.1), [0, 1, 2], 24, rows(9, 1)
    yield 'presence penalty below 0', P(1.0, presence_penalty=-0.8), [], 25, rows(9, 1)
    yield 'frequency penalty', P(1.0, frequency_penalty=0.6), [5, 5], 26, rows(7, 1)
    yield 'frequency penalty below 0', P(0.9, frequency_penalty=-0.35), [], 27, rows(7, 0.5)
    yield 'presence and frequency', P(1.0, presence_penalty=0.1, frequency_penalty=0.3), [], 28, rows(5, 0.5)
    yield 'everything', P(0.85, 9, 0.92, 0.04, 1.15, 0.25, 0.15), [1, 7, 7, 15, 3], 29, rows(24, 2)
    yield 'everything, hot', P(2.5, 40, 0.97, 0.01, 0.9, -0.2, 0.05), [0, 63, 31, 31], 30, rows(64, 3)
    yield '300 ids, everything', P(0.8, 50, 0.95, 0.02, 1.1, 0.1, 0.2), list(range(0, 300, 7)), 31, rows(300, 3)
    yield '300 ids, temperature alone', P(1.0), [], 32, rows(300, 2)
    yield 'most logits -Infinity', P(1.1, 4, 0.9), [2], 33, \
        rows(16, 1.5, lambda row, t: [x if (i + t) % 5 == 0 else -inf for i, x in enumerate(row)])
    yield 'one id left', P(1.0), [], 34, rows(6, 1, lambda row, t: [x if i == t % 6 else -inf for i, x in enumerate(row)])
    yield 'greedy among -Infinity', P(), [], 35, rows(6, 1, lambda row, t: [-inf if i < t % 6 else x for i, x in enumerate(row)])
    yield 'one-token vocabulary', P(1.0, top_p=0.5), [], 36, rows(1, 1)
    yield 'extreme magnitudes', P(1.0, repetition_penalty=1.5), [0], 37, \
        same([3.4028235e38, -3.4028235e38, 1e-45, -1e-45, -0.0, 0.0])
    yield 'tiny magnitudes', P(1e-4, min_p=0.5), [], 38, same([1e-45, -1e-45, 1.2e-38, -0.0, 0.0])
    yield 'zeros of both signs tie', P(1.0, top_k=2), [], 40, same([-0.0, 0.0, -0.0, 0.0])
    yield 'greedy, zeros of both signs tie', P(), [], 41, same([-1.0, -0.0, 0.0, -0.0])
    yield 'equal logits', P(1.0, top_k=7, top_p=0.95), [], 39, same([0.1] * 11)
    yield 'largest seed', P(1.0, top_p=0.9), [], MASK64, rows(21, 2)
    yield 'seed above 2^63', P(0.6, top_k=10), [4], 1 << 63, rows(21, 2)


def run_case(params, prompt, seed, rows, maths):
    rng, output, logprobs = stream(seed), [], []
    for row in rows:
        token, lp = sample(row, params, prompt, output, rng, maths)
        output.append(token)
        logprobs.append(lp)
    return output, logprobs, rng.next_u32()


def main():
    out, differing = [], {'cases': 0, 'ids': 0, 'logprobs': 0}
    for name, params, prompt, seed, rows in cases():
        ids, logprobs, after = run_case(params, prompt, seed, rows, CORRECT)
        other_ids, other_logprobs, _ = run_case(params, prompt, seed, rows, CPYTHON)
        wrong = sum(a != b for a, b in zip(logprobs, other_logprobs))
        differing['ids'] += sum(a != b for a, b in zip(ids, other_ids))
        differing['logprobs'] += wrong
        differing['cases'] += wrong > 0
        out.append({'name': name, 'params': asdict(params), 'seed': f'{seed:016x}', 'prompt': prompt,
                    'logits': [row_bits(row) for row in rows],
                    'ids': ids, 'logprobs': [io_json.f64(lp) for lp in logprobs], 'next_u32_after': f'{after:08x}'})
    assert out[0]['ids'][0] == 3 and round(out[0]['logprobs'][0]['value'], 5) == -0.92487
    io_json.write_vectors('sampling.json', {
        'format': 'logits: a row a token, f32 bit patterns, 8 hex digits each; seed: u64, 16 hex digits; the generator is stream(seed, 4);'
                  ' logprobs: f64 {bits, value}; next_u32_after: the generator\'s next output after the last token',
        'cpython_math_differs': differing,
        'cases': out}, packages=('mpmath',), made_by='sampling.py')


if __name__ == '__main__':
    main()
