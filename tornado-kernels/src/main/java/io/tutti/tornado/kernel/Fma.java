package io.tutti.tornado.kernel;

/**
 * The only place where kernels fuse. TornadoVM can not compile {@code Math.fma}, but makes OpenCL's {@code fma} of any sum
 * that has a product for a term. Run by a JVM these methods round twice; tests that run kernels there put {@code Math.fma}
 * in their place.
 */
final class Fma {

    private Fma() {}

    /** {@code a * b + c}, rounded once. {@code c} may not be a product itself: see {@link #products}. */
    static float fma(float a, float b, float c) {
        return a * b + c;
    }

    /**
     * {@code a * b + round(c * d)}, rounded once more. Of two products TornadoVM fuses that which its graph met first, so
     * {@code a * b} has to come first here.
     */
    static float products(float a, float b, float c, float d) {
        float fused = a * b;
        float rounded = c * d;
        return rounded + fused;
    }
}
