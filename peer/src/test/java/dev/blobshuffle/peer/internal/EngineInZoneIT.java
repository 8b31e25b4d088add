package dev.blobshuffle.peer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Engines that are opened with settings alone: records come out right whatever the members of the
 * zone do.
 */
class EngineInZoneIT {
    private static final Partition PARTITION = new Partition("t", 0);
    private static final int BLOBS = 20;

    @TempDir
    Path directory;

    private final List<Notification> notifications = Collections.synchronizedList(new ArrayList<>());
    private Path secret;

    @BeforeEach
    void writeSecret() throws Exception {
        secret = directory.resolve("secret");
        PrivateFiles.write(secret, "known to all members\n");
    }

    private ShuffleEngine open(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "blobshuffle.store",
                directory.resolve("blobs").toUri().toString(),
                "blobshuffle.zone",
                "a",
                "blobshuffle.cache.zone.enabled",
                "true",
                "blobshuffle.peer.secret.file",
                secret.toString()));
        settings.putAll(more);
        return ShuffleEngine.open(KafkaSettings.parse(settings));
    }

    private List<String> write(ShuffleEngine engine) throws Exception {
        List<String> expected = new ArrayList<>();
        try (Lane lane = engine.lane("writer", new NotificationList())) {
            for (int blob = 0; blob < BLOBS; blob++) {
                for (int i = 0; i < 50; i++) {
                    String value = "value " + blob + " " + i;
                    lane.output(PARTITION, Zone.SINGLE)
                            .append(i, null, value.getBytes(StandardCharsets.UTF_8), Headers.NONE);
                    expected.add(value);
                }
                lane.flush(Duration.ofMinutes(1));
            }
        }
        return expected;
    }

    private final class NotificationList implements Channel {
        @Override
        public void send(
                Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
            notifications.add(notification);
            delivery.delivered();
        }

        @Override
        public void send(Partition partition, SegmentRecords records, Delivery delivery) {
            throw new AssertionError("nothing is inlined");
        }

        @Override
        public void flush() {}
    }

    private List<String> read(ShuffleEngine engine) throws Exception {
        List<String> values = new ArrayList<>();
        Debatcher.Sink<String> sink = new Debatcher.Sink<>() {
            @Override
            public void record(
                    Partition partition,
                    long offset,
                    int index,
                    int count,
                    long timestamp,
                    byte[] key,
                    byte[] value,
                    Headers headers,
                    String carrier) {
                values.add(new String(value, StandardCharsets.UTF_8));
            }

            @Override
            public void plain(Partition partition, long offset, String plain) {
                throw new AssertionError("nothing was inlined");
            }
        };
        try (Debatcher<String> debatcher = engine.debatcher("reader")) {
            long offset = 0;
            for (Notification notification : notifications) {
                debatcher.offer(PARTITION, offset++, notification, 0, "carrier");
            }
            debatcher.prefetch();
            while (debatcher.undelivered(PARTITION) > 0) {
                debatcher.awaitProgress(Duration.ofSeconds(10));
                int ignored = debatcher.drain(1000, 1 << 20, sink);
                debatcher.prefetch();
            }
        }
        return values;
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Test
    void anInstanceThatIsListedServesWhatItWroteToTheOthers() throws Exception {
        String endpoint = "127.0.0.1:" + freePort();
        Map<String, String> members = Map.of("blobshuffle.cache.zone.members", "a=" + endpoint + ",b=127.0.0.1:1");
        Map<String, String> listed = new HashMap<>(members);
        listed.put("blobshuffle.peer.listen", endpoint);
        try (ShuffleEngine writer = open(listed);
                ShuffleEngine reader = open(members)) {
            assertThat(writer.member().orElseThrow().endpoint()).isEqualTo(Endpoint.parse(endpoint));
            List<String> expected = write(writer);
            assertThat(read(reader)).isEqualTo(expected);
            assertThat(read(writer)).isEqualTo(expected);
            assertThat(reader.metrics().value(Counter.CACHE_ZONE_HITS)).isPositive();
            assertThat(reader.metrics().value(Counter.GETS) + writer.metrics().value(Counter.GETS))
                    .isZero();
        }
    }

    @Test
    void garbageFromAMemberIsFoundAndTheStoreAsked() throws Exception {
        Random random = new Random(3);
        try (StrangePeer liar = StrangePeer.that((length, out) -> {
            byte[] garbage = new byte[length];
            random.nextBytes(garbage);
            out.write(StrangePeer.head("206 Partial Content", length));
            out.write(garbage);
        })) {
            Map<String, String> members = Map.of("blobshuffle.cache.zone.members", "a=" + liar.endpoint());
            try (ShuffleEngine writer = open(members);
                    ShuffleEngine reader = open(members)) {
                List<String> expected = write(writer);
                assertThat(read(reader)).isEqualTo(expected);
                assertThat(reader.metrics().value(Counter.CACHE_ZONE_FAILURES)).isPositive();
                assertThat(reader.metrics().value(Counter.CACHE_ZONE_HITS)).isZero();
                assertThat(reader.metrics().value(Counter.GETS)).isPositive();
            }
        }
    }

    @Test
    void aSecretThatDiffersCostsRequestsAndNothingElse() throws Exception {
        String endpoint = "127.0.0.1:" + freePort();
        Map<String, String> members = Map.of("blobshuffle.cache.zone.members", "a=" + endpoint);
        Map<String, String> listed = new HashMap<>(members);
        listed.put("blobshuffle.peer.listen", endpoint);
        Path other = directory.resolve("other secret");
        PrivateFiles.write(other, "known to somebody else\n");
        Map<String, String> stranger = new HashMap<>(members);
        stranger.put("blobshuffle.peer.secret.file", other.toString());
        try (ShuffleEngine writer = open(listed);
                ShuffleEngine reader = open(stranger)) {
            List<String> expected = write(writer);
            assertThat(read(reader)).isEqualTo(expected);
            assertThat(reader.metrics().value(Counter.CACHE_ZONE_HITS)).isZero();
            assertThat(writer.metrics().value(Counter.PEER_REFUSALS)).isPositive();
        }
    }

    @Test
    void anAddressThatIsTakenIsRefusedAtStart() throws Exception {
        try (StrangePeer taken = StrangePeer.silent()) {
            assertThatThrownBy(() -> open(
                            Map.of("blobshuffle.peer.listen", taken.endpoint().toString())))
                    .isInstanceOf(InvalidSettings.class)
                    .hasMessageContaining("peer.listen");
        }
    }
}
