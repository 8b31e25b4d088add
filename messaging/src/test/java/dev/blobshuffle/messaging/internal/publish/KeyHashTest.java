package dev.blobshuffle.messaging.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

class KeyHashTest {
    @Test
    void hashesAsKafkaDoes() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            byte[] key = new byte[random.nextInt(40)];
            random.nextBytes(key);
            assertThat(KeyHash.of(key)).isEqualTo(Utils.toPositive(Utils.murmur2(key)));
        }
    }
}
