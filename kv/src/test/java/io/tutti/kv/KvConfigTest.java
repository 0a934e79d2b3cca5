package io.tutti.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class KvConfigTest {
    @Test
    void everyImpossibleShapeIsRefusedByName() {
        refused("blocks is 0, accepted: 1 or more", () -> config(0, 1, 1, 1, 1));
        refused("block_tokens is -1, accepted: 1 or more", () -> config(1, -1, 1, 1, 1));
        refused("layers is 0, accepted: 1 or more", () -> config(1, 1, 0, 1, 1));
        refused("kv_heads is 0, accepted: 1 or more", () -> config(1, 1, 1, 0, 1));
        refused("head_dim is 0, accepted: 1 or more", () -> config(1, 1, 1, 1, 0));
        refused(
                "blocks x block_tokens x layers x kv_heads x head_dim is 65536 x 65536 x 32768 x 32768 x 1, "
                        + "accepted: a total below 2^63 bytes",
                () -> config(1 << 16, 1 << 16, 1 << 15, 1 << 15, 1));
        refused("dtype is null, accepted: F16 or F32", () -> new KvConfig(1, 1, 1, 1, 1, null, true, "a model"));
        refused(
                "identity is null, accepted: a text that names model, quantization and dtypes",
                () -> new KvConfig(1, 1, 1, 1, 1, KvDtype.F16, true, null));
        refused(
                "identity is empty, accepted: a text that names model, quantization and dtypes",
                () -> new KvConfig(1, 1, 1, 1, 1, KvDtype.F16, true, ""));
    }

    @Test
    void bytesCountKAndVOfEveryLayer() {
        KvConfig f16 = new KvConfig(3, 5, 7, 11, 13, KvDtype.F16, true, "a model");
        assertThat(f16.slabBytes()).isEqualTo(5 * 11 * 13 * 2);
        assertThat(f16.blockBytes()).isEqualTo(5 * 7 * 11 * 13 * 2 * 2);
        assertThat(f16.totalBytes()).isEqualTo(3 * 5 * 7 * 11 * 13 * 2 * 2);
        KvConfig f32 = new KvConfig(3, 5, 7, 11, 13, KvDtype.F32, true, "a model");
        assertThat(f32.totalBytes()).isEqualTo(2 * f16.totalBytes());
    }

    @Test
    void dtypesRoundToNearestEvenAndKeepOneNan() {
        assertThat(KvDtype.F16.toBits(1 + 0x1p-11f)).isEqualTo(0x3C00);
        assertThat(KvDtype.F16.toBits(1 + 3 * 0x1p-11f)).isEqualTo(0x3C02);
        assertThat(KvDtype.F16.toBits(-70000f)).isEqualTo(0xFC00);
        assertThat(KvDtype.F16.toBits(Float.intBitsToFloat(0xFFC12345))).isEqualTo(0x7E00);
        assertThat(KvDtype.F16.toFloat(0xABCD3555)).isEqualTo(0.33325195f);
        assertThat(KvDtype.F32.toBits(-70000f)).isEqualTo(0xC788B800);
        assertThat(KvDtype.F32.toBits(Float.intBitsToFloat(0xFFC12345))).isEqualTo(0x7FC00000);
        assertThat(KvDtype.F32.toFloat(0xC788B800)).isEqualTo(-70000f);
    }

    private static KvConfig config(int blocks, int blockTokens, int layers, int kvHeads, int headDim) {
        return new KvConfig(blocks, blockTokens, layers, kvHeads, headDim, KvDtype.F16, true, "a model");
    }

    private static void refused(String message, ThrowingCallable call) {
        assertThatExceptionOfType(KvException.InvalidArgument.class)
                .isThrownBy(call)
                .withMessage(message);
    }
}
