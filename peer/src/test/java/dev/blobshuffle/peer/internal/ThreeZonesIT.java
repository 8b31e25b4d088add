package dev.blobshuffle.peer.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Three zones with two instances each shuffle blobs through a real broker: what crosses zones
 * crosses them through the store alone, and each zone reads from there only what was written
 * elsewhere, once. Bytes are counted on the wire, requests at the store, neither by the code under
 * test. GET:PUT = 2:3 is what the BlobShuffle paper measured with its layout. The number of blobs
 * is {@code -Dzones.blobs=N}.
 */
class ThreeZonesIT {
    private static final List<Zone> ZONES = List.of(new Zone("a"), new Zone("b"), new Zone("c"));
    private static final int MEMBERS_OF_EACH = 2;
    private static final int INSTANCES = 6;
    private static final int PARTITIONS = 12;
    private static final int LEAST_BLOBS = Integer.getInteger("zones.blobs", 150);

    private final ZoneRoutes routes = new ZoneRoutes();
    private final ZoneLedger ledger = new ZoneLedger();
    private final List<ZoneInstance> instances = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({"packed, 1, 2048", "per-zone, 3, 4096"})
    void payloadCrossesZonesThroughTheStoreAlone(String layout, int blobsPerBatch, int recordLength) throws Exception {
        String topic = "zones-" + layout;
        EmbeddedKafka.shared().createTopic(topic, PARTITIONS);
        int rounds = LEAST_BLOBS / (INSTANCES * blobsPerBatch) + 1;
        ExecutorService threads = Executors.newFixedThreadPool(INSTANCES);
        try (MemoryBlobStore store = new MemoryBlobStore(topic, 256 << 20);
                routes) {
            for (int number = 0; number < INSTANCES; number++) {
                instances.add(instance(number, topic, layout, store));
            }
            everywhere(threads, ThreeZonesIT::awaitOthers);
            everywhere(threads, instance -> {
                for (int round = 0; round < rounds; round++) {
                    instance.round(recordLength);
                }
                instance.readUpTo((long) rounds * PARTITIONS); // Of all writers, its share of the partitions.
            });
            report(layout);
            assertBatches(rounds, blobsPerBatch);
            assertWire();
            assertRequests();
        } finally {
            everywhere(threads, ZoneInstance::close);
            threads.shutdownNow();
        }
    }

    private ZoneInstance instance(int number, String topic, String layout, MemoryBlobStore store) {
        Zone zone = ZONES.get(number % ZONES.size());
        Settings settings = KafkaSettings.parse(Map.of(
                "blobshuffle.zone", zone.name(),
                "blobshuffle.membership.topic", "members-" + topic,
                "blobshuffle.batch.layout", layout,
                "blobshuffle.batch.max.delay.ms", "60000",
                "blobshuffle.inline.max.bytes", "0",
                "blobshuffle.cache.memory.bytes", "64 MiB",
                "blobshuffle.cache.zone.enabled", "true"));
        // Every other partition of a zone to each of its members, so that both read parts of each
        // section.
        return new ZoneInstance(
                settings,
                EmbeddedKafka.shared().bootstrapServers(),
                number,
                topic,
                PARTITIONS,
                List.of(number, number + INSTANCES),
                ledger.seenFrom(zone, store),
                routes);
    }

    private static void awaitOthers(ZoneInstance instance) {
        Awaitility.await("the others")
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofMinutes(2))
                .until(() -> instance.knows(ZONES, MEMBERS_OF_EACH));
    }

    private void everywhere(ExecutorService threads, Consumer<ZoneInstance> task) throws Exception {
        List<Future<?>> pending = new ArrayList<>();
        for (ZoneInstance instance : instances) {
            pending.add(threads.submit(() -> task.accept(instance)));
        }
        for (Future<?> one : pending) {
            one.get(3, TimeUnit.MINUTES);
        }
    }

    private void report(String layout) {
        StringBuilder text = new StringBuilder("zones, " + layout + ": " + ledger.puts() + " puts, " + ledger.gets()
                + " gets; bytes from the store and from members of zones a, b, c, seen from");
        for (Zone from : ZONES) {
            text.append("\n  ").append(from.name()).append(": ").append(ledger.bytesRead(from));
            ZONES.forEach(to -> text.append(", ").append(routes.bytes(from, to)));
        }
        System.out.println(text);
    }

    /** Otherwise the rest says nothing. */
    private void assertBatches(int rounds, int blobsPerBatch) {
        assertThat(ledger.puts())
                .isEqualTo((long) rounds * INSTANCES * blobsPerBatch)
                .isGreaterThan(LEAST_BLOBS);
        assertThat(ledger.written()).hasSize(rounds * INSTANCES * ZONES.size());
        assertThat(ledger.written().values()).allMatch(section -> ZONES.contains(section.section()));
    }

    private void assertWire() {
        for (Zone from : ZONES) {
            for (Zone to : ZONES) {
                long bytes = routes.bytes(from, to);
                if (from.equals(to)) {
                    assertThat(bytes)
                            .as("bytes within zone " + from.name())
                            .isGreaterThanOrEqualTo(sum(from, Counter.CACHE_ZONE_BYTES))
                            .isPositive();
                } else {
                    assertThat(bytes)
                            .as("bytes between zones " + from.name() + " and " + to.name())
                            .isZero();
                }
            }
        }
    }

    private void assertRequests() {
        ledger.downloads().forEach((download, times) -> {
            ZoneLedger.Written section = ledger.written().get(download.section());
            assertThat(section.section()).as("whose section " + download).isEqualTo(download.by());
            assertThat(section.by()).as("who wrote " + download).isNotEqualTo(download.by());
            assertThat(times).as("how often " + download).isEqualTo(1);
        });
        long written = ledger.written().size();
        assertThat(ledger.gets()).isEqualTo(written * (ZONES.size() - 1) / ZONES.size());
        instances.forEach(instance -> {
            assertThat(instance.count(Counter.CACHE_MEMORY_EVICTIONS)).isZero();
            assertThat(instance.count(Counter.CACHE_ZONE_FAILURES)).isZero();
        });
    }

    private long sum(Zone zone, Counter counter) {
        return instances.stream()
                .filter(instance -> instance.zone().equals(zone))
                .mapToLong(instance -> instance.count(counter))
                .sum();
    }
}
