package io.tutti.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.tutti.cli.bench.Round.Timed;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** A report of figures made up, as text and as JSON. */
class ReportTest {

    private static final Workload WORK = new Workload(512, 128, List.of(0, 2000), 1, List.of());

    /** 200 MFLOP and 200 MB a token, whatever it sees. */
    private static final Cost COST = new Cost(200_000_000, 0, 0, 200_000_000, 0, 0, Integer.MAX_VALUE);

    private static final Start START =
            Start.of(new double[] {1.25, 1, 1.5}, new Start.WholeRun(0.5, OptionalDouble.of(481e6)));

    /** Prefill at 512 tokens/s and half of the peak; decode at 80 and 0.8 of what is read, and 64 later on. */
    private static final Round QUICK =
            new Round(new Timed(1, 204.8e9), Map.of(0, new Timed(1.6, 20e9), 2000, new Timed(2, 25e9)));

    /** Half as fast, beside a processor that is half as fast. */
    private static final Round SLOW =
            new Round(new Timed(2, 102.4e9), Map.of(0, new Timed(3.2, 10e9), 2000, new Timed(4, 12.5e9)));

    private static BenchResult result(String device, boolean onProcessor, Optional<Start> start) {
        return new BenchResult(
                device, "a processor", "a driver", onProcessor, WORK, COST, start, List.of(QUICK, SLOW, SLOW));
    }

    private static final BenchReport REPORT = new BenchReport(
            "my-model",
            "bf16",
            "f32",
            "f16",
            2,
            256,
            Optional.of("0123456789ab"),
            3,
            WORK,
            List.of(result("host", true, Optional.of(START)), result("ptx:0", false, Optional.empty())));

    @Test
    void sharesAreThoseOfTheSameRound() {
        BenchResult host = REPORT.results().getFirst();
        assertThat(host.prefillOfFma()).isEqualTo(new Spread(0.5, 0.5, 0.5));
        assertThat(host.decodeOfRead(0)).isEqualTo(new Spread(0.8, 0.8, 0.8));
        assertThat(host.decodeKept(2000)).isEqualTo(new Spread(0.8, 0.8, 0.8));
        assertThat(host.read()).isEqualTo(new Spread(10e9, 12.5e9, 25e9));
    }

    @Test
    void thePersonGetsATableAndWhatLimitsTheDevice() {
        assertThat(String.join("\n", BenchText.lines(REPORT))).isEqualTo("""
                        my-model: bf16, f16 cache, 2 threads, medians of 3 rounds, commit 0123456789ab

                                                         tokens/s      min to max  GFLOP/s  of peak  GB/s  of read
                        host   prefill of 512               256.0  256.0 to 512.0     51.2     0.50
                        host   decode of 128 after 0         40.0    40.0 to 80.0     8.00     0.08  8.00     0.80
                        host   decode of 128 after 2000      32.0    32.0 to 64.0     6.40     0.06  6.40     0.51
                        ptx:0  prefill of 512               256.0  256.0 to 512.0     51.2
                        ptx:0  decode of 128 after 0         40.0    40.0 to 80.0     8.00           8.00
                        ptx:0  decode of 128 after 2000      32.0    32.0 to 64.0     6.40           6.40

                        host: first token 1.25 s (1.00 to 1.50) after the process's start; loaded in 0.50 s; peak memory 481 MB
                        ptx:0: first token, load time and peak memory are not known
                        processor: 2 threads read 12.5 GB/s (10.0 to 25.0), and do 102.4 GFLOP/s (102.4 to 204.8)

                        host: prefill at 256.0 tokens/s is 0.50 of the FMA peak, which limits it
                        host: decode at 40.0 tokens/s is 0.80 of memory's bandwidth, which limits it; \
                        0.80 of that rate after 2000 tokens
                        ptx:0: decode at 40.0 tokens/s; 0.80 of that rate after 2000 tokens; \
                        its memory and arithmetic are its own, not this processor's
                        """.strip());
    }

    @Test
    void theProgramGetsEveryKeyOfTheContract() {
        JsonNode json = BenchJson.of(REPORT, REPORT.results().getFirst());
        assertThat(json.get("device").textValue()).isEqualTo("host");
        assertThat(json.get("dtype").textValue()).isEqualTo("bf16");
        assertThat(json.get("activations").textValue()).isEqualTo("f32");
        assertThat(json.get("kv").textValue()).isEqualTo("f16");
        assertThat(json.get("threads").intValue()).isEqualTo(2);
        assertThat(json.get("commit").textValue()).isEqualTo("0123456789ab");
        assertThat(json.get("batch").intValue()).isEqualTo(1);
        assertThat(json.get("prefill_tokens").intValue()).isEqualTo(512);
        spread(json.get("prefill_tok_s"), 256, 256, 512);
        spread(json.get("prefill_gflop_s"), 51.2, 51.2, 102.4);
        spread(json.get("prefill_of_fma"), 0.5, 0.5, 0.5);
        assertThat(json.get("decode_tokens").intValue()).isEqualTo(128);
        spread(json.get("decode_tok_s"), 40, 40, 80);
        spread(json.get("decode_gb_s"), 8, 8, 16);
        spread(json.get("decode_of_read"), 0.8, 0.8, 0.8);
        assertThat(json.get("decode_at").size()).isEqualTo(2);
        spread(json.get("decode_at").get("0"), 40, 40, 80);
        spread(json.get("decode_at").get("2000"), 32, 32, 64);
        spread(json.get("read_gb_s"), 10, 12.5, 25);
        spread(json.get("fma_gflop_s"), 102.4, 102.4, 204.8);
        spread(json.get("first_token_s"), 1, 1.25, 1.5);
        assertThat(json.get("load_s").doubleValue()).isEqualTo(0.5);
        assertThat(json.get("peak_rss_mb").doubleValue()).isEqualTo(481);
    }

    @Test
    void whatIsNotKnownIsNull() {
        JsonNode json = BenchJson.of(REPORT, REPORT.results().getLast());
        for (String key : List.of(
                "prefill_of_fma", "decode_of_read", "decode_of_fma", "first_token_s", "load_s", "peak_rss_mb")) {
            assertThat(json.get(key).isNull()).as(key).isTrue();
        }
        spread(json.get("decode_tok_s"), 40, 40, 80);
    }

    private static void spread(JsonNode json, double min, double median, double max) {
        assertThat(json.get("min").doubleValue()).isEqualTo(min);
        assertThat(json.get("median").doubleValue()).isEqualTo(median);
        assertThat(json.get("max").doubleValue()).isEqualTo(max);
        assertThat(json.size()).isEqualTo(3);
    }
}
