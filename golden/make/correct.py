"""exp and log of f64, correctly rounded (to nearest, ties to even), whatever the platform's libm does."""
import math

import mpmath


def exp(x):
    if math.isnan(x):
        return math.nan
    if x > 710.0:
        return math.inf
    if x < -746.0:
        return 0.0
    return 1.0 if x == 0.0 else _rounded(mpmath.exp, x)


def log(x):
    if math.isnan(x) or x < 0.0:
        return math.nan
    if x == 0.0:
        return -math.inf
    if x == math.inf:
        return math.inf
    return 0.0 if x == 1.0 else _rounded(mpmath.log, x)


def _rounded(function, x):
    """Ziv's method: more bits until both ends of the enclosing interval round to the same f64.

    It ends, because the exponential and the logarithm of a rational are irrational but for the cases taken out above.
    """
    bits = 160
    while True:
        with mpmath.workprec(bits):
            y = function(mpmath.mpf(x))
            error = abs(y) * mpmath.ldexp(1, 4 - bits)
            low, high = nearest_f64(y - error), nearest_f64(y + error)
        if low == high:
            return low
        bits *= 2


def nearest_f64(y):
    """An mpf rounded once, subnormals and overflow included: Python's integer division and conversion round exactly so."""
    sign, mantissa, exponent, _ = y._mpf_
    mantissa = -int(mantissa) if sign else int(mantissa)
    try:
        return float(mantissa << exponent) if exponent >= 0 else mantissa / (1 << -exponent)
    except OverflowError:
        return math.copysign(math.inf, mantissa)
