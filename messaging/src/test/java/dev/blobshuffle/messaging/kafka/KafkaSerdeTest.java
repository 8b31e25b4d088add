package dev.blobshuffle.messaging.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.messaging.Serde;
import java.util.UUID;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;

class KafkaSerdeTest {
    @Test
    void writesAndReadsAsKafkaDoes() {
        Serde<UUID> serde = KafkaSerde.of(Serdes.UUID());
        UUID id = UUID.fromString("01234567-89ab-cdef-0123-456789abcdef");

        byte[] bytes = serde.serialize("topic", id);

        assertThat(bytes).isEqualTo(Serdes.UUID().serializer().serialize("topic", id));
        assertThat(serde.deserialize("topic", bytes)).isEqualTo(id);
    }

    @Test
    void numbersOfBothLibrariesAreTheSame() {
        byte[] bytes = Serde.longs().serialize("topic", 42L);

        assertThat(bytes).isEqualTo(Serdes.Long().serializer().serialize("topic", 42L));
        assertThat(Serde.longs().deserialize("topic", bytes)).isEqualTo(42L);
    }
}
