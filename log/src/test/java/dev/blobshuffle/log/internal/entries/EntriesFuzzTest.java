package dev.blobshuffle.log.internal.entries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.Checksum;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.LittleEndian;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/**
 * Any bytes are entries or {@link BlobCorruptException}, and the decoder allocates no more than
 * documented.
 */
class EntriesFuzzTest {
    private static final int CASES = Integer.getInteger("fuzz.cases", 4_000);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final long FIXED_ALLOCATION = 1 << 16;
    private static final long ALLOCATION_PER_BYTE = 64;

    @Test
    void anyBytesAreEntriesOrCorrupt() {
        List<byte[]> examples = List.of(
                TestEntries.everything(), TestEntries.documentedBatch().get(0).entries());
        int values = 0;
        int corrupt = 0;
        for (int seed = 0; seed < CASES; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] bytes = mutate(examples.get(random.nextInt(2)), random);
            IntPredicate wanted = random.nextBoolean() ? partition -> true : partition -> partition == 0;
            long bound = FIXED_ALLOCATION + ALLOCATION_PER_BYTE * bytes.length;
            try {
                EntriesCodec.decode(bytes, wanted);
                values++;
            } catch (BlobCorruptException e) {
                corrupt++;
            } catch (Throwable e) {
                throw new AssertionError("Seed " + seed + " ends with " + e, e);
            }
            long allocated = allocated(bytes, wanted);
            if (allocated > bound) {
                allocated = allocated(bytes, wanted); // The first case of a kind loads classes.
            }
            if (allocated > bound) {
                throw new AssertionError("Seed " + seed + " allocates more than " + bound + " bytes");
            }
        }
        assertThat(values).isGreaterThan(CASES / 50);
        assertThat(corrupt).isGreaterThan(CASES / 50);
    }

    @Test
    void everyFlippedBitIsFound() {
        byte[] bytes = TestEntries.everything();
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] flipped = bytes.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> EntriesCodec.decode(flipped, partition -> true))
                    .isInstanceOf(BlobCorruptException.class);
        }
    }

    @Test
    void aNewerVersionAndANewerKindAskForAnUpgrade() {
        byte[] version = TestEntries.everything();
        version[1] = 3;
        assertThatThrownBy(() -> EntriesCodec.decode(version, partition -> true))
                .isInstanceOf(BlobCorruptException.class)
                .hasMessageContaining("Upgrade the reader");

        byte[] merged = TestEntries.documentedBatch().get(0).entries();
        int kind = merged.length - 4 - 18;
        assertThat(merged[kind]).isEqualTo(EntriesCodec.PLAIN);
        merged[kind] = 2;
        seal(merged);
        assertThatThrownBy(() -> EntriesCodec.decode(merged, partition -> true))
                .isInstanceOf(BlobCorruptException.class)
                .hasMessageContaining("Upgrade the reader");
        assertThat(EntriesCodec.decode(merged, partition -> partition == 3).runs())
                .hasSize(1);
    }

    /** Decoding checks each record, so that reading cannot fail later. */
    @Test
    void recordsThatAreNotWellFormedAreRefusedBeforeTheyAreRead() {
        byte[] batch = TestEntries.documentedBatch().get(0).entries();
        int refused = 0;
        for (int at = batch.length - 4 - 18; at < batch.length - 4; at++) {
            for (int value = 0; value < 256; value++) {
                byte[] changed = batch.clone();
                changed[at] = (byte) value;
                seal(changed);
                Entries entries;
                try {
                    entries = EntriesCodec.decode(changed, partition -> true);
                } catch (BlobCorruptException e) {
                    refused++;
                    continue;
                }
                assertThat(entries.runs())
                        .allSatisfy(
                                run -> assertThat(TestEntries.described(run)).isNotEmpty());
            }
        }
        assertThat(refused).isGreaterThan(1_000);
    }

    @Test
    void bytesBehindTheLastPartitionAreRefused() {
        byte[] batch = TestEntries.documentedBatch().get(0).entries();
        byte[] longer = Arrays.copyOf(batch, batch.length + 1);
        seal(longer);
        assertThatThrownBy(() -> EntriesCodec.decode(longer, partition -> true))
                .isInstanceOf(BlobCorruptException.class);
    }

    private static void seal(byte[] batch) {
        LittleEndian.writeInt(batch, batch.length - 4, Checksum.of(batch, 0, batch.length - 4));
    }

    @Test
    void partitionsOfOthersAllocateNothing() {
        EntriesEncoder encoder = new EntriesEncoder(64 * 1024);
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 1000; i++) {
            encoder.segment(
                    i,
                    TestEntries.segment(
                            TestEntries.BLOB,
                            i,
                            0,
                            1 << 20,
                            0,
                            1 + random.nextInt(1 << 20),
                            1,
                            Codec.NONE,
                            Optional.empty()),
                    0,
                    0);
        }
        byte[] bytes = encoder.finish().get(0).entries();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 50; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            assertThat(EntriesCodec.decode(bytes, partition -> partition < 0).runs())
                    .isEmpty();
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isLessThan(2_000);
    }

    private static long allocated(byte[] bytes, IntPredicate wanted) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try {
            EntriesCodec.decode(bytes, wanted);
        } catch (BlobCorruptException e) {
            // Its message and stack trace count too.
        }
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    private static byte[] mutate(byte[] valid, SplittableRandom random) {
        byte[] bytes = valid.clone();
        for (int i = random.nextInt(5); i > 0; i--) {
            byte[] values = {0, 1, 2, 0x7f, (byte) 0x80, (byte) 0xff, 8, (byte) random.nextInt()};
            bytes[random.nextInt(bytes.length)] = values[random.nextInt(values.length)];
        }
        switch (random.nextInt(12)) {
            case 0 -> bytes = Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length));
            case 1 -> bytes = Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(64));
            case 2 -> {
                bytes = new byte[1 + random.nextInt(400)];
                random.nextBytes(bytes);
            }
            default -> {
                // Unchanged.
            }
        }
        if (random.nextInt(8) != 0 && bytes.length >= 6) {
            LittleEndian.writeInt(bytes, bytes.length - 4, Checksum.of(bytes, 0, bytes.length - 4));
            bytes[0] = EntriesCodec.MAGIC;
            bytes[1] = random.nextInt(50) == 0 ? (byte) 2 : EntriesCodec.VERSION;
            LittleEndian.writeInt(bytes, bytes.length - 4, Checksum.of(bytes, 0, bytes.length - 4));
        }
        return bytes;
    }
}
