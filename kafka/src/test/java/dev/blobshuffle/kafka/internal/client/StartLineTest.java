package dev.blobshuffle.kafka.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StartLineTest {
    @Test
    void lineSaysWhatTravelsHowAndWhereWithoutCredentials() {
        Settings settings = KafkaSettings.parse(Map.of(
                "blobshuffle.store", "s3://bucket/prefix?secret=hidden",
                "blobshuffle.zone", "eu-1a",
                "blobshuffle.compression.type", "zstd",
                "blobshuffle.batch.max.delay.ms", 250,
                "blobshuffle.write.enabled", false));
        TopicMatcher topics = TopicMatcher.repartitionTopics("shop", List.of("shop-big-.*"));

        assertThat(StartLine.text("application shop", settings, topics.toString()))
                .contains(
                        "application shop",
                        "internal repartition topics of shop",
                        "except shop-big-.*",
                        "s3://bucket/prefix?…",
                        "writing off",
                        "16 MiB or 250 ms",
                        "zone eu-1a",
                        "compression zstd",
                        KafkaVersion.present())
                .doesNotContain("hidden");
    }

    @Test
    void matcherOfPatternsNamesThem() {
        assertThat(TopicMatcher.of(List.of("a-.*", "b"), List.of()).toString()).isEqualTo("a-.*, b");
    }
}
