"""vectors/exact_math.json: arguments of exp and log with their correctly rounded f64 results, hard ones among them.

A hard argument is one whose exact result lies very near the middle of two doubles. They are found backwards: take a middle, apply the inverse function, round that to a double, and keep the arguments that came out nearest.
"""
import math
import struct

import mpmath

import correct
import io_json
from pcg32 import Pcg32

FUNCTIONS = {'exp': (correct.exp, mpmath.exp, mpmath.log, math.exp), 'log': (correct.log, mpmath.log, mpmath.exp, math.log)}
BITS = 240


def bits_to_f64(bits):
    return struct.unpack('>d', bits.to_bytes(8, 'big'))[0]


def neighbours(x):
    return [math.nextafter(x, -math.inf), x, math.nextafter(x, math.inf)]


def hardness(function, x):
    """-log2 of the distance, in ulps, of the exact result from the nearest middle of two doubles."""
    y = abs(function(mpmath.mpf(x)))
    ulps = mpmath.ldexp(y, 53 - mpmath.frexp(y)[1])
    return float(-mpmath.log(abs(ulps - mpmath.floor(ulps) - mpmath.mpf(0.5)), 2))


def random_u64(rng):
    return rng.next_u32() << 32 | rng.next_u32()


def hard_arguments(name, rng, tries=12000, keep=250):
    """The hardest of many arguments whose exact result is near the middle above a random double."""
    _, function, inverse, _ = FUNCTIONS[name]
    found = {}
    for n in range(tries):
        if name == 'exp':  # results near 1, where the argument is finer than the result
            near = 1.0 + math.ldexp(rng.uniform_f64() - 0.5, -(n % 30))
        else:  # results of every size
            near = (-1.0) ** (n & 1) * correct.exp(rng.uniform_f64() * 13.1 - 6.5)
        x = correct.nearest_f64(inverse(mpmath.mpf(near) + mpmath.mpf(math.ulp(near)) / 2))
        if x not in (0.0, 1.0) and math.isfinite(x):
            found[x] = hardness(function, x)
    return sorted(sorted(found, key=lambda x: -found[x])[:keep])


def exp_arguments(rng):
    special = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 0.5, -0.5, 2.0, 10.0, -10.0, 0.6931471805599453, -0.6931471805599453,
               5e-324, -5e-324, 2.2250738585072014e-308, -2.2250738585072014e-308, 1e-300, -1e-300, 1.7976931348623157e308, -1.7976931348623157e308]
    edges = [709.782712893384, 709.0, 710.0, -708.3964185322641, -708.0, -709.0, -740.0, -744.4400719213812, -745.1332191019411, -745.1332191019412,
             -745.2, -746.0, -1000.0, 1000.0]
    powers = [s * math.ldexp(1.0, -k) for k in range(1, 80) for s in (1, -1)]
    return [*special, *(x for e in edges for x in neighbours(e)), *powers,
            *(-rng.uniform_f64() * 50 for _ in range(500)),  # what a softmax asks for
            *((rng.uniform_f64() - 0.5) * 1480 for _ in range(400)),
            *(-708.4 - rng.uniform_f64() * 37 for _ in range(200)),  # subnormal results
            *((rng.uniform_f64() - 0.5) * math.ldexp(1.0, -(n % 60)) for n in range(300)),
            *hard_arguments('exp', rng)]


def log_arguments(rng):
    special = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 2.0, 0.5, 10.0, math.e, 5e-324, 1e-320, 2.2250738585072009e-308,
               2.2250738585072014e-308, 1.7976931348623157e308, -5e-324]
    near_one = [1.0 + s * math.ldexp(j, -k) for k in range(10, 54) for j in (1, 3, 5, 7) for s in (1, -1)]
    any_positive = [bits_to_f64(random_u64(rng) % 0x7FF0000000000000) for _ in range(400)]
    return [*special, *neighbours(1.0), *neighbours(2.0), *(math.ldexp(1.0, k) for k in range(-1074, 1024, 19)), *near_one, *any_positive,
            *(bits_to_f64(random_u64(rng) >> 12) for _ in range(100)),  # subnormal arguments
            *(1.0 + rng.uniform_f64() * 300 for _ in range(500)),  # what a logprob asks for
            *(1.0 + (rng.uniform_f64() - 0.5) * math.ldexp(1.0, -(n % 45)) for n in range(300)),
            *hard_arguments('log', rng)]


def table(name, arguments):
    exact, function, _, platform = FUNCTIONS[name]
    rows, differing, hardest = {}, [], 0.0
    for x in arguments:
        x = x if x == x else math.nan
        y = exact(x)
        rows[io_json.f64_bits(x)] = io_json.f64_bits(y)
        if math.isfinite(x) and 2.3e-308 < abs(y) < math.inf and x not in (0.0, 1.0):
            hardest = max(hardest, hardness(function, x))
        try:
            theirs = platform(x)
        except (OverflowError, ValueError):
            continue  # CPython raises where IEEE 754 has an infinity or a NaN
        if io_json.f64_bits(theirs) != io_json.f64_bits(y) and y == y:
            differing.append(io_json.f64_bits(x))
    return {'count': len(rows), 'hardest_bits': round(hardest), 'cpython_differs_count': len(set(differing)),
            'cpython_differs': sorted(set(differing)), 'cases': [f'{x} {y}' for x, y in rows.items()]}


def main():
    with mpmath.workprec(BITS):
        rng = Pcg32(7, 54)
        content = {name: table(name, arguments(rng)) for name, arguments in (('exp', exp_arguments), ('log', log_arguments))}
    io_json.write_vectors('exact_math.json', {
        'format': 'cases: "argument result", f64 bit patterns of 16 hex digits; a NaN is 7ff8000000000000.'
                  ' hardest_bits: the nearest that an exact result comes to the middle of two doubles is 2^-hardest_bits ulp',
        **content}, packages=('mpmath',), made_by='exact_math.py')


if __name__ == '__main__':
    main()
