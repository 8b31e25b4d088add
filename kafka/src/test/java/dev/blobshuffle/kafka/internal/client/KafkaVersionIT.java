package dev.blobshuffle.kafka.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.URL;
import java.util.Collections;
import java.util.Properties;
import org.apache.kafka.clients.consumer.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The tests with the tag run on the Kafka release of the build, and no other release is on the
 * class path.
 */
@Tag("every-kafka")
class KafkaVersionIT {
    @Test
    void clientsAndBrokersAreOfTheVersionUnderTest() throws Exception {
        String expected = System.getProperty("kafka.expected.version");
        assertThat(KafkaVersion.present()).isEqualTo(expected);
        for (URL url :
                Collections.list(Consumer.class.getClassLoader().getResources("kafka/kafka-version.properties"))) {
            Properties version = new Properties();
            try (InputStream file = url.openStream()) {
                version.load(file);
            }
            assertThat(version.getProperty("version")).as(url.toString()).isEqualTo(expected);
        }
    }
}
