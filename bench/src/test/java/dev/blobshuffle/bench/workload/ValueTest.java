package dev.blobshuffle.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** The number by which a run's output is checked. */
class ValueTest {
    private final CRC32C scratch = new CRC32C();

    private long checksum(byte[] value) {
        return Value.checksum(scratch, Arrays.copyOf(value, Value.KEY_BYTES), value);
    }

    @Test
    void checksumLeavesOutTheTimeAndNothingElse() {
        byte[] value = new byte[64];
        new Random(1).nextBytes(value);
        long before = checksum(value);

        Value.stamp(value, 1234);
        assertThat(checksum(value)).isEqualTo(before);
        for (int i = 0; i < value.length - Long.BYTES; i++) {
            value[i] ^= 1;
            assertThat(checksum(value)).isNotEqualTo(before);
            value[i] ^= 1;
        }
    }

    @Test
    void checksumTellsAWrongKey() {
        byte[] value = new byte[64];

        assertThat(Value.checksum(scratch, new byte[] {0, 0, 0, 0, 0, 0, 0, 1}, value))
                .isNotEqualTo(checksum(value));
    }
}
