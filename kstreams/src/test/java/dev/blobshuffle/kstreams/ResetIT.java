package dev.blobshuffle.kstreams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Drain;
import dev.blobshuffle.kstreams.differential.Instances;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.tools.StreamsResetter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kafka's {@code kafka-streams-application-reset} deletes an application's repartition topics, with
 * notifications that were not read, and moves it back to the start of its input.
 */
class ResetIT {
    private final String bootstrap = EmbeddedKafka.shared().bootstrapServers();

    @TempDir
    private Path directory;

    @Test
    void anApplicationThatWasResetBeginsAgainAndItsOldBlobsGo() throws Exception {
        Probe.createTopics(bootstrap, "reset");
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
                Probe probe = Probe.start(bootstrap, "reset")) {
            try (Instances instances = new Instances()) {
                KafkaStreams streams = instances.add(probe.instance(settings()));
                probe.awaitRecords(500);
                instances.await("blobs", () -> StoredBlobs.in(uri()).size() > 1);
                streams.close();
            }
            Set<BlobId> before = StoredBlobs.in(uri());
            assertThat(new StreamsResetter().execute(new String[] {
                        "--bootstrap-server",
                        bootstrap,
                        "--application-id",
                        probe.applicationId(),
                        "--input-topics",
                        probe.input(),
                        "--force"
                    }))
                    .isZero();
            try (Instances instances = new Instances()) {
                KafkaStreams again = probe.instance(settings());
                again.cleanUp();
                instances.add(again);
                probe.awaitRecords(200);
                probe.stop();
                new Drain(admin, bootstrap, probe.applicationId(), List.of(probe.input())).await(instances);
                probe.assertState();
                instances.await("a sweep", () -> StoredBlobs.in(uri()).stream().noneMatch(before::contains));
            }
        }
    }

    private Map<String, Object> settings() {
        return Map.of(
                StreamsConfig.STATE_DIR_CONFIG,
                directory.resolve("state").toString(),
                StreamsConfig.DEFAULT_CLIENT_SUPPLIER_CONFIG,
                SweptSupplier.class.getName(),
                "blobshuffle.store",
                uri(),
                "blobshuffle.inline.max.bytes",
                "0");
    }

    private String uri() {
        return "file://" + directory.resolve("blobs") + "?fsync=none";
    }
}
