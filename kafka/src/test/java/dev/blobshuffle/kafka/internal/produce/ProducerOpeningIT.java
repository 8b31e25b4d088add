package dev.blobshuffle.kafka.internal.produce;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.kafka.BlobProducer;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProducerOpeningIT {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();

    @TempDir
    private Path directory;

    @Test
    void aProducerThatCouldNotifyAfterASweepIsRefused() {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> open(Map.of("delivery.timeout.ms", Integer.MAX_VALUE)))
                .withMessageContaining("delivery.timeout.ms=2147483647")
                .withMessageContaining("before the producer has delivered its notification");
    }

    /** In a transaction, Kafka delivers as long as the transaction is open. */
    @Test
    void aTransactionThatOutlivesASweepIsRefused() {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> open(Map.of(
                        "delivery.timeout.ms",
                        Integer.MAX_VALUE,
                        "transactional.id",
                        "writer",
                        "transaction.timeout.ms",
                        3_600_000)))
                .withMessageContaining("transaction.timeout.ms=3600000");
    }

    private void open(Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(Map.of(
                "bootstrap.servers", KAFKA.bootstrapServers(),
                "blobshuffle.store", directory.toUri().toString(),
                "blobshuffle.topics.include", "some"));
        settings.putAll(more);
        new BlobProducer<>(settings, new StringSerializer(), new StringSerializer()).close();
    }
}
