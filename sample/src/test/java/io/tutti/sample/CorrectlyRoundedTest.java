package io.tutti.sample;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.function.DoubleUnaryOperator;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CorrectlyRoundedTest {
    private static final double INF = Double.POSITIVE_INFINITY;

    @Test
    void expMatchesTheGoldenVectors() {
        assertMatches("exp", CorrectlyRounded::exp);
        assertMatches(
                "exp", x -> x == 0 || !(Math.abs(x) < 1000) ? CorrectlyRounded.exp(x) : ArbitraryPrecision.exp(x));
    }

    @Test
    void logMatchesTheGoldenVectors() {
        assertMatches("log", CorrectlyRounded::log);
        assertMatches("log", x -> x == 1 || !(x > 0 && x < INF) ? CorrectlyRounded.log(x) : ArbitraryPrecision.log(x));
    }

    private static void assertMatches(String name, DoubleUnaryOperator function) {
        JsonNode cases = Golden.vectors("exact_math.json").get(name).get("cases");
        assertThat(cases).hasSizeGreaterThan(1000).allSatisfy(vector -> {
            String[] bits = vector.textValue().split(" ", -1);
            double argument = Double.longBitsToDouble(Long.parseUnsignedLong(bits[0], 16));
            assertThat(Double.doubleToLongBits(function.applyAsDouble(argument)))
                    .as("%s(%s)", name, argument)
                    .isEqualTo(Long.parseUnsignedLong(bits[1], 16));
        });
    }

    @ParameterizedTest
    @CsvSource({
        "NaN, NaN",
        "Infinity, Infinity",
        "-Infinity, 0.0",
        "0.0, 1.0",
        "-0.0, 1.0",
        "4.9E-324, 1.0",
        "-5.551115123125783E-17, 1.0", // -2^-54
        "-5.551115123125784E-17, 0.9999999999999999",
        "1.1102230246251565E-16, 1.0000000000000002", // 2^-53
        "1.1102230246251564E-16, 1.0",
        "709.782712893384, 1.7976931348622732E308",
        "709.7827128933841, Infinity",
        "-708.3964185322641, 2.2250738585072626E-308",
        "-745.1332191019411, 4.9E-324",
        "-745.1332191019412, 0.0",
        "-746.0, 0.0",
        "-1.0E300, 0.0",
    })
    void expAtItsEdges(double x, double expected) {
        assertThat(CorrectlyRounded.exp(x)).isEqualTo(Double.valueOf(expected));
    }

    @ParameterizedTest
    @CsvSource({
        "NaN, NaN",
        "-1.0, NaN",
        "-Infinity, NaN",
        "0.0, -Infinity",
        "-0.0, -Infinity",
        "Infinity, Infinity",
        "1.0, 0.0",
        "4.9E-324, -744.4400719213812",
        "2.2250738585072014E-308, -708.3964185322641",
        "1.7976931348623157E308, 709.782712893384",
        "1.0000000000000002, 2.2204460492503128E-16",
        "0.9999999999999999, -1.1102230246251565E-16",
    })
    void logAtItsEdges(double x, double expected) {
        assertThat(CorrectlyRounded.log(x)).isEqualTo(Double.valueOf(expected));
    }

    @Property(tries = 400)
    void expIsTheExactValueRounded(@ForAll("exponents") double x) {
        double expected = HighPrecision.exp(new BigDecimal(x)).doubleValue();
        assertThat(CorrectlyRounded.exp(x)).isEqualTo(expected);
        assertThat(ArbitraryPrecision.exp(x)).isEqualTo(expected);
    }

    @Property(tries = 150)
    void logIsTheExactValueRounded(@ForAll("positives") double x) {
        double expected =
                HighPrecision.log(new BigDecimal(x), StrictMath.log(x)).doubleValue();
        assertThat(CorrectlyRounded.log(x)).isEqualTo(expected);
        assertThat(ArbitraryPrecision.log(x)).isEqualTo(expected);
    }

    @Property(tries = 400)
    void theDoubleDoubleStepKeepsItsBound(@ForAll("exponents") double x) {
        CorrectlyRounded.Scaled e = CorrectlyRounded.scaledExp(x);
        BigDecimal exact = HighPrecision.exp(new BigDecimal(x));
        BigDecimal power = BigDecimal.TWO.pow(Math.abs(e.exponent()));
        BigDecimal scaled = e.exponent() < 0 ? exact.multiply(power) : exact.divide(power, HighPrecision.DIGITS);
        BigDecimal error = new BigDecimal(e.hi()).add(new BigDecimal(e.lo())).subtract(scaled);
        assertThat(Math.abs(error.doubleValue())).isLessThan(0x1p-69);
        assertThat(e.hi() + e.lo()).isEqualTo(e.hi()).isBetween(0.998, 2.004);
    }

    @Property(tries = 400)
    void moreBitsAreTakenWhereFewDoNotDecide(@ForAll("exponents") double x) {
        assertThat(ArbitraryPrecision.exp(x, 64)).isEqualTo(CorrectlyRounded.exp(x));
        double positive = Math.abs(x);
        assertThat(ArbitraryPrecision.log(positive, 64)).isEqualTo(CorrectlyRounded.log(positive));
    }

    /** Of every size that matters: where exp is normal, subnormal, and near 1. */
    @Provide
    Arbitrary<Double> exponents() {
        return Arbitraries.oneOf(
                Arbitraries.randomValue(random -> 1454 * random.nextDouble() - 744.5),
                Arbitraries.randomValue(random -> 40 * random.nextDouble() - 20),
                Arbitraries.randomValue(random -> Math.scalb(random.nextDouble() - 0.5, -random.nextInt(53))));
    }

    /** Any exponent, and close to 1 on either side. */
    @Provide
    Arbitrary<Double> positives() {
        return Arbitraries.oneOf(
                Arbitraries.randomValue(random -> Math.scalb(1 + random.nextDouble(), random.nextInt(2098) - 1074)),
                Arbitraries.randomValue(random -> 1 + 50000 * random.nextDouble()),
                Arbitraries.randomValue(random -> 1 + Math.scalb(random.nextDouble() - 0.5, -random.nextInt(45))));
    }
}
