package dev.blobshuffle.kafka.internal.produce;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PartitionCountTest {
    /**
     * Otherwise a silent broker would block the send, and all other sends of the producer, for a
     * minute.
     */
    @Test
    @Timeout(25)
    void aSendDoesNotWaitLongerThanMaxBlockForSilentBrokers() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Map<String, Object> settings = Map.of("bootstrap.servers", "127.0.0.1:" + silent.getLocalPort());
            assertThat(ProducerOpening.partitionCount(settings, "orders", 100)).isZero();
        }
    }
}
