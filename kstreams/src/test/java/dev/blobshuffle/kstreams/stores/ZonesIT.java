package dev.blobshuffle.kstreams.stores;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.FooterCodec;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Shuffling;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Instances of an exactly-once application that know their zones write for each other's, under both
 * group protocols, with no setting but the zone.
 */
class ZonesIT {
    private static EmbeddedKafka kafka;

    @TempDir
    Path directory;

    @BeforeAll
    static void start() {
        kafka = EmbeddedKafka.builder().start();
    }

    @AfterAll
    static void end() {
        kafka.close();
    }

    @ParameterizedTest
    @MethodSource("dev.blobshuffle.kstreams.differential.Protocols#all")
    void blobsHaveASectionForEachZoneThatReads(String protocol) throws Exception {
        assertSectionsForAllZones(Shuffling.BY_KAFKA_STREAMS, protocol);
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
            long deadline = System.nanoTime() + 90_000_000_000L;
            do {
                assertThat(System.nanoTime()).as("zones known in time").isLessThan(deadline);
                run.write(500);
                run.drain();
            } while (!zones(blobs).containsAll(Set.of("zone-0", "zone-1")));
            assertThat(run.counted()).isEqualTo(run.expected());
        }
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            assertThat(admin.listTopics().names().get()).contains(application + "-blobshuffle-members");
        }
    }

    private static Set<String> zones(Path directory) throws IOException {
        Set<String> zones = new TreeSet<>();
        List<Path> blobs;
        try (Stream<Path> files = Files.walk(directory)) {
            blobs = files.filter(file -> file.toString().endsWith(".blob")).toList();
        }
        for (Path blob : blobs) {
            byte[] bytes = Files.readAllBytes(blob);
            Footer footer = FooterCodec.decode(ByteBuffer.wrap(bytes), bytes.length);
            footer.sections().forEach(section -> zones.add(section.zone().name()));
        }
        return zones;
    }
}
