package io.tutti.kv;

import static io.tutti.kv.Fixtures.B;
import static io.tutti.kv.Fixtures.D;
import static io.tutti.kv.Fixtures.HEADS;
import static io.tutti.kv.Fixtures.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KvAttachmentTest {
    private static final int SLAB = HEADS * B * D * Short.BYTES;

    /** Memory that only uploads and downloads connect with the pool's; it begins as garbage, as a device's does. */
    private static final class FakeDevice implements KvDeviceCopy, AutoCloseable {
        private final List<MemorySegment> host;
        private final List<MemorySegment> device;
        private final KvAttachment attachment;
        final List<String> moves = new ArrayList<>();

        FakeDevice(KvPool pool) {
            host = Stream.of(KvPart.values())
                    .flatMap(part -> pool.regions(part).stream())
                    .map(KvRegion::data)
                    .toList();
            device = host.stream()
                    .map(data -> MemorySegment.ofArray(new byte[(int) data.byteSize()])
                            .fill((byte) 0x55))
                    .toList();
            attachment = pool.attach(this);
        }

        @Override
        public void download() {
            moves.add("download");
            for (int i = 0; i < host.size(); i++) {
                host.get(i).copyFrom(device.get(i));
            }
        }

        @Override
        public void upload() {
            moves.add("upload");
            for (int i = 0; i < host.size(); i++) {
                device.get(i).copyFrom(host.get(i));
            }
        }

        /** Writes a byte all over a block's K of layer 0. */
        void step(KvBlock block, int fill) {
            attachment.beforeStep();
            device.getFirst().asSlice((long) block.index() * SLAB, SLAB).fill((byte) fill);
        }

        /** The first number of a block's K of layer 0, as the device has it. */
        int bits(KvBlock block) {
            return Short.toUnsignedInt(
                    device.getFirst().get(ValueLayout.JAVA_SHORT_UNALIGNED, (long) block.index() * SLAB));
        }

        @Override
        public void close() {
            attachment.close();
        }
    }

    @Test
    void theFirstStepSeesWhatTheHostWroteBeforeAndLaterStepsMoveNothing() {
        try (KvPool pool = new KvPool(config(2))) {
            List<KvBlock> blocks = pool.alloc(2);
            Fixtures.write(pool, blocks.get(0), 1);
            try (FakeDevice device = new FakeDevice(pool)) {
                device.step(blocks.get(1), 7);
                assertThat(device.bits(blocks.get(0))).isEqualTo(501);
                device.step(blocks.get(1), 8);
                assertThat(device.moves).containsExactly("upload");
                pool.release(blocks);
            }
        }
    }

    enum Read {
        BITS,
        GET,
        COPY
    }

    @ParameterizedTest
    @EnumSource
    void everyReadOfTheHostSeesTheDevicesLastStepAndRefreshesOnce(Read read) {
        try (KvPool pool = new KvPool(config(2))) {
            List<KvBlock> blocks = pool.alloc(2);
            KvSlab slab = pool.slab(blocks.get(0), 0, KvPart.K);
            try (FakeDevice device = new FakeDevice(pool)) {
                for (int fill = 1; fill <= 2; fill++) {
                    device.step(blocks.get(0), fill);
                    for (int again = 0; again < 2; again++) {
                        assertThat(read(slab, read)).isEqualTo(fill * 0x101);
                    }
                }
                assertThat(device.moves).containsExactly("upload", "download", "download");
                pool.release(blocks);
            }
        }
    }

    private static int read(KvSlab slab, Read read) {
        return switch (read) {
            case BITS -> slab.bits(0, 0, 0);
            case GET -> KvDtype.F16.toBits(slab.get(0, 0, 0));
            case COPY -> {
                MemorySegment bytes = MemorySegment.ofArray(new byte[SLAB]);
                slab.copyTo(bytes, 0);
                yield bytes.get(ValueLayout.JAVA_SHORT_UNALIGNED, 0);
            }
        };
    }

    enum Write {
        BITS,
        SET,
        COPY
    }

    @ParameterizedTest
    @EnumSource
    void everyWriteOfTheHostReachesTheDevicesNextStepAndKeepsWhatTheDeviceWroteElsewhere(Write write) {
        try (KvPool pool = new KvPool(config(2))) {
            List<KvBlock> blocks = pool.alloc(2);
            KvSlab slab = pool.slab(blocks.get(0), 0, KvPart.K);
            try (FakeDevice device = new FakeDevice(pool)) {
                device.step(blocks.get(1), 3);
                write(slab, write);
                write(slab, write);
                device.step(blocks.get(1), 4);
                assertThat(device.bits(blocks.get(0))).isEqualTo(0x3C00);
                assertThat(device.moves).containsExactly("upload", "download", "upload");
                assertThat(pool.slab(blocks.get(1), 0, KvPart.K).bits(1, 2, 3)).isEqualTo(0x404);
                pool.release(blocks);
            }
        }
    }

    private static void write(KvSlab slab, Write write) {
        switch (write) {
            case BITS -> slab.setBits(0, 0, 0, 0x3C00);
            case SET -> slab.set(0, 0, 0, 1f);
            case COPY -> {
                byte[] bytes = new byte[SLAB];
                bytes[1] = 0x3C;
                slab.copyFrom(MemorySegment.ofArray(bytes), 0);
            }
        }
    }

    @Test
    void aSequenceMovesFromOneDeviceToAnotherThroughAnEnvelope() {
        try (KvPool here = new KvPool(config(3));
                KvPool there = new KvPool(config(5))) {
            List<KvBlock> blocks = here.alloc(3);
            List<KvBlock> others = there.alloc(1);
            try (FakeDevice first = new FakeDevice(here);
                    FakeDevice second = new FakeDevice(there)) {
                for (KvBlock block : blocks) {
                    first.step(block, 10 + block.index());
                    here.setFill(block, B);
                }
                second.step(others.getFirst(), 9);
                List<KvBlock> moved = there.importBlocks(here.exportBlocks(blocks));
                second.step(others.getFirst(), 8);

                assertThat(first.moves).containsExactly("upload", "download");
                assertThat(second.moves).containsExactly("upload", "download", "upload");
                for (int i = 0; i < blocks.size(); i++) {
                    assertThat(second.bits(moved.get(i)))
                            .isEqualTo((10 + blocks.get(i).index()) * 0x101);
                }
                here.release(blocks);
                there.release(moved);
                there.release(others);
            }
        }
    }

    @Test
    void closingLeavesTheDevicesContentInThePoolForTheNextProgram() {
        try (KvPool pool = new KvPool(config(2))) {
            List<KvBlock> blocks = pool.alloc(2);
            FakeDevice first = new FakeDevice(pool);
            first.step(blocks.get(0), 6);
            first.close();
            first.close();
            assertThat(first.moves).containsExactly("upload", "download");
            try (FakeDevice second = new FakeDevice(pool)) {
                second.step(blocks.get(1), 5);
                assertThat(second.bits(blocks.get(0))).isEqualTo(0x606);
                first.close();
                second.step(blocks.get(1), 5);
            }
            pool.release(blocks);
        }
    }

    @Test
    void closingWithNoBlockHeldOrCachedDownloadsNothing() {
        try (KvPool pool = new KvPool(config(2))) {
            KvBlock block = pool.alloc(1).getFirst();
            FakeDevice device = new FakeDevice(pool);
            device.step(block, 6);
            pool.release(block);
            device.close();
            assertThat(device.moves).containsExactly("upload");
        }
    }

    @Test
    void aSecondCopyIsRefusedWhileTheFirstIsAttached() {
        try (KvPool pool = new KvPool(config(1));
                FakeDevice first = new FakeDevice(pool)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> new FakeDevice(pool).close())
                    .withMessage("KvPool has a device's copy attached already; close that program first");
            assertThat(first.moves).isEmpty();
        }
    }

    @Test
    void stepsAfterClosingAreRefused() {
        KvPool pool = new KvPool(config(1));
        FakeDevice device = new FakeDevice(pool);
        device.close();
        assertThatIllegalStateException()
                .isThrownBy(device.attachment::beforeStep)
                .withMessage("the device's copy is detached from its KvPool");
        FakeDevice other = new FakeDevice(pool);
        pool.close();
        assertThatIllegalStateException()
                .isThrownBy(other.attachment::beforeStep)
                .withMessage("KvPool is closed");
        other.close();
        assertThat(other.moves).isEmpty();
    }

    @Test
    void aRefreshThatFailsIsTriedAgainByTheNextReadAndDetachesAllTheSame() {
        class Lost extends RuntimeException {
            private static final long serialVersionUID = 1L;
        }
        try (KvPool pool = new KvPool(config(1))) {
            KvBlock block = pool.alloc(1).getFirst();
            KvAttachment attachment = pool.attach(new KvDeviceCopy() {
                @Override
                public void download() {
                    throw new Lost();
                }

                @Override
                public void upload() {}
            });
            attachment.beforeStep();
            KvSlab slab = pool.slab(block, 0, KvPart.V);
            for (int again = 0; again < 2; again++) {
                assertThatThrownBy(() -> slab.bits(0, 0, 0)).isInstanceOf(Lost.class);
                assertThatThrownBy(() -> slab.setBits(0, 0, 0, 1)).isInstanceOf(Lost.class);
            }
            assertThatThrownBy(attachment::close).isInstanceOf(Lost.class);
            assertThat(slab.bits(0, 0, 0)).isZero();
            pool.release(block);
        }
    }
}
