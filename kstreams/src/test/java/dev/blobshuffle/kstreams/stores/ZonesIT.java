package dev.blobshuffle.kstreams.stores;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.FooterCodec;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Protocols;
import dev.blobshuffle.kstreams.differential.Shuffling;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Instances of an exactly-once application that know their zones write for each other's zones,
 * under both group protocols, with no other setting.
 */
class ZonesIT {
    private static EmbeddedKafka kafka;

    @TempDir
    Path directory;

    @BeforeAll
    static void start() {
        kafka = EmbeddedKafka.shared();
    }

    @Test
    void blobsHaveASectionForEachZoneThatReads() throws Exception {
        String last = Protocols.all().get(Protocols.all().size() - 1);
        assertSectionsForAllZones(Shuffling.BY_KAFKA_STREAMS, last);
    }

    @Test
    void operatorsMakeASectionForEachZoneThatReads() throws Exception {
        assertSectionsForAllZones(Shuffling.BY_OPERATORS, "classic");
    }

    private void assertSectionsForAllZones(Shuffling shuffling, String protocol) throws Exception {
        String application = "zoned-" + shuffling.ordinal() + "-" + protocol;
        Path blobs = directory.resolve("blobs");
        try (CountingRun run = new CountingRun(
                kafka,
                application,
                shuffling,
                blobs.toUri() + "?fsync=none",
                directory.resolve("state"),
                instance -> Map.of("blobshuffle.zone", "zone-" + instance, "group.protocol", protocol))) {
            Awaitility.await("sections for both zones")
                    .atMost(Duration.ofMinutes(2))
                    .pollInSameThread()
                    .until(() -> {
                        run.write(100);
                        run.drain();
                        return zones(blobs).containsAll(Set.of("zone-0", "zone-1"));
                    });
            assertThat(run.counted()).isEqualTo(run.expected());
        }
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            assertThat(admin.listTopics().names().get()).contains(application + "-blobshuffle-members");
        }
    }

    private static Set<String> zones(Path directory) throws IOException {
        Set<String> zones = new TreeSet<>();
        for (Path blob : LiveFiles.blobs(directory)) {
            byte[] bytes = Files.readAllBytes(blob);
            Footer footer = FooterCodec.decode(ByteBuffer.wrap(bytes), bytes.length);
            footer.sections().forEach(section -> zones.add(section.zone().name()));
        }
        return zones;
    }
}
