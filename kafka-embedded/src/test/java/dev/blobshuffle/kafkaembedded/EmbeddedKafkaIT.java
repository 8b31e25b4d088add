package dev.blobshuffle.kafkaembedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EmbeddedKafkaIT extends KafkaClusterContractTest<EmbeddedKafka> {
    @Override
    EmbeddedKafka startThreeBrokersInRacks(String... racks) {
        return EmbeddedKafka.builder().brokers(3).racks(racks).start();
    }

    @Test
    void namedDirectoryKeepsRecordsForTheNextCluster(@TempDir Path directory) throws Exception {
        List<String> values = Clients.values("kept", 10);
        try (EmbeddedKafka first =
                EmbeddedKafka.builder().dataDirectory(directory).start()) {
            first.createTopic("kept", 1);
            Clients.send(first, "kept", values);
        }
        try (EmbeddedKafka second =
                EmbeddedKafka.builder().dataDirectory(directory).start()) {
            assertThat(Clients.read(second, "kept", values.size())).isEqualTo(values);
        }
        assertThatThrownBy(() -> EmbeddedKafka.builder()
                        .brokers(3)
                        .dataDirectory(directory)
                        .start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("brokers 3")
                .hasMessageContaining(directory.toString());
    }

    @Test
    void sharedBrokerIsOneAndIsNotClosed() throws Exception {
        List<String> values = Clients.values("shared", 10);
        try (EmbeddedKafka kafka = EmbeddedKafka.shared()) {
            kafka.createTopic("shared", 1);
            Clients.send(kafka, "shared", values);
        }

        EmbeddedKafka again = EmbeddedKafka.shared();

        assertThat(Clients.read(again, "shared", values.size())).isEqualTo(values);
    }

    @Test
    void takenPortIsReplacedAndTheTemporaryDirectoryGoesOnClose() throws Exception {
        Path logDirectory;
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            AtomicInteger asked = new AtomicInteger();
            // First the broker's port is taken, then the controller's.
            PortSource source = count -> switch (asked.getAndIncrement()) {
                case 0 -> List.of(taken.getLocalPort(), PortSource.free(1).get(0));
                case 1 -> List.of(PortSource.free(1).get(0), taken.getLocalPort());
                default -> PortSource.free(count);
            };
            try (EmbeddedKafka kafka = EmbeddedKafka.builder().ports(source).start()) {
                kafka.createTopic("reachable", 1);
                assertThat(asked).hasValue(3);
                logDirectory = kafka.logDirectory(0);
                assertThat(logDirectory.resolve("meta.properties")).exists();
            }
        }
        assertThat(Files.exists(logDirectory.getParent())).isFalse();
    }

    @Test
    void takenPortOfOneNodeEndsTheOthers() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            AtomicInteger asked = new AtomicInteger();
            PortSource source = count -> {
                List<Integer> free = PortSource.free(count);
                return asked.getAndIncrement() > 0
                        ? free
                        : List.of(free.get(0), free.get(1), free.get(2), taken.getLocalPort());
            };
            try (EmbeddedKafka kafka =
                    EmbeddedKafka.builder().brokers(2).ports(source).start()) {
                kafka.createTopic("reachable", 1);
                assertThat(asked).hasValue(2);
            }
        }
    }
}
