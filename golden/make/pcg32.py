"""PCG32 (XSH-RR 64/32), mix64, child seeds and streams: spec/pcg32.md in plain Python, and its vectors."""
import io_json

MASK64 = (1 << 64) - 1
MULTIPLIER = 6364136223846793005
GOLDEN_GAMMA = 0x9E3779B97F4A7C15
PURPOSE_SAMPLE = 4


class Pcg32:
    def __init__(self, seed, sequence):
        self.state = 0
        self.increment = (sequence << 1 | 1) & MASK64
        self.next_u32()
        self.state = (self.state + seed) & MASK64
        self.next_u32()

    def next_u32(self):
        old = self.state
        self.state = (old * MULTIPLIER + self.increment) & MASK64
        shifted = ((old >> 18 ^ old) >> 27) & 0xFFFFFFFF
        rotation = old >> 59
        return (shifted >> rotation | shifted << (32 - rotation)) & 0xFFFFFFFF

    def uniform_f64(self):
        high = self.next_u32() >> 5
        low = self.next_u32() >> 6
        return (high * 2.0**26 + low) * 2.0**-53


def mix64(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK64
    return z ^ z >> 31


def child_seed(seed, purpose):
    return mix64((seed + purpose * GOLDEN_GAMMA) & MASK64)


def stream(seed, purpose=PURPOSE_SAMPLE):
    return Pcg32(child_seed(seed, purpose), purpose)


def vectors():
    u64 = lambda v: f'{v:016x}'
    outputs = lambda rng, n: [f'{rng.next_u32():08x}' for _ in range(n)]
    uniforms = lambda rng, n: [io_json.f64(rng.uniform_f64()) for _ in range(n)]
    seeds = [0, 1, 2, 42, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63, MASK64 - 1, MASK64, 0x0123456789ABCDEF]
    return {
        'format': 'u64: 16 hex digits; u32: 8 hex digits; f64: {bits: 16 hex digits, value: shortest decimal}',
        'generators': [
            {'seed': u64(seed), 'sequence': u64(sequence), 'u32': outputs(Pcg32(seed, sequence), 16),
             'uniform_f64': uniforms(Pcg32(seed, sequence), 8)}
            for seed, sequence in [(42, 54), (0, 0), (0, 4), (1, 0), (MASK64, MASK64), (1 << 63, 1 << 63), (123456789, 987654321)]],
        'mix64': [{'in': u64(z), 'out': u64(mix64(z))} for z in seeds],
        'child_seed': [{'seed': u64(s), 'purpose': p, 'out': u64(child_seed(s, p))} for s in seeds for p in (0, 1, 4)],
        'streams': [{'seed': u64(s), 'purpose': PURPOSE_SAMPLE, 'u32': outputs(stream(s), 8), 'uniform_f64': uniforms(stream(s), 8)}
                    for s in seeds],
    }


def main():
    assert [Pcg32(42, 54).next_u32()] == [0xA15C02B7]
    assert child_seed(0, PURPOSE_SAMPLE) == 0xF88BB8A8724C81EC
    assert round(stream(0).uniform_f64(), 5) == 0.80209
    io_json.write_vectors('pcg32.json', vectors(), packages=(), made_by='pcg32.py')


if __name__ == '__main__':
    main()
