package dev.blobshuffle.kafkaembedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class KafkaJarsTest {
    @Test
    void jarsOfSeveralVersionsAreNamed() {
        assertThat(KafkaJars.mixed(Stream.of(
                        "kafka-clients-4.1.2.jar", "kafka_2.13-4.1.2.jar", "kafka-metadata-4.3.1.jar", "other.jar")))
                .hasValueSatisfying(message -> assertThat(message)
                        .contains("kafka-clients 4.1.2, kafka-metadata 4.3.1, kafka_2.13 4.1.2")
                        .endsWith("Give all artifacts of org.apache.kafka one version, kafka_2.13 among them."));
    }

    @Test
    void jarsOfOneVersionAndOtherClassPathsAreNotRefused() {
        assertThat(KafkaJars.mixed(Stream.of("kafka-clients-4.3.1.jar", "kafka_2.13-4.3.1.jar")))
                .isEmpty();
        assertThat(KafkaJars.mixed(Stream.of("application-1.2.3.jar"))).isEmpty();
    }

    /** The jars of this build have one version, so the failure of a start stays as it is. */
    @Test
    void otherFailuresOfAStartStay() {
        NoSuchFieldError failure = new NoSuchFieldError("data");
        assertThatThrownBy(() -> KafkaJars.start(() -> {
                    throw failure;
                }))
                .isSameAs(failure);
    }
}
