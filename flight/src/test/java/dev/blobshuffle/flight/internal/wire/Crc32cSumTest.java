package dev.blobshuffle.flight.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Checksum;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Crc32cSumTest {
    @Test
    void theSumOfPartsIsTheChecksumOfTheWhole() {
        Random random = new Random(3);
        byte[] bytes = new byte[300_000];
        random.nextBytes(bytes);
        for (int round = 0; round < 50; round++) {
            Crc32cSum sum = new Crc32cSum();
            int at = 0;
            while (at < bytes.length) {
                int length = Math.min(bytes.length - at, random.nextInt(1 + random.nextInt(100_000)));
                sum.add(Checksum.of(bytes, at, length), length);
                at += length;
            }
            assertThat(sum.value()).isEqualTo(Checksum.of(bytes, 0, bytes.length));
        }
    }

    /** Lengths above 2^28 need powers beyond the end of the table. */
    @Test
    void partsOfGigabytesAddUp() {
        byte[] zeros = new byte[1 << 20];
        java.util.zip.CRC32C whole = new java.util.zip.CRC32C();
        for (int i = 0; i < 600; i++) {
            whole.update(zeros);
        }
        int length = 600 << 20;
        Crc32cSum sum = new Crc32cSum();
        sum.add(Checksum.of(new byte[] {42}, 0, 1), 1);
        sum.add((int) whole.getValue(), length);

        java.util.zip.CRC32C expected = new java.util.zip.CRC32C();
        expected.update(42);
        for (int i = 0; i < 600; i++) {
            expected.update(zeros);
        }
        assertThat(sum.value()).isEqualTo((int) expected.getValue());
    }
}
