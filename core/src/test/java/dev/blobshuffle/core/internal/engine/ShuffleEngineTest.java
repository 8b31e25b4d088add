package dev.blobshuffle.core.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.RecordView;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.write.RecordingChannel;
import dev.blobshuffle.core.zone.Zone;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShuffleEngineTest {
    private static final Partition PARTITION = new Partition("t", 0);

    @Test
    void settingsAreEnoughToShuffle(@TempDir Path directory) throws Exception {
        Settings settings = EngineSettings.parse(
                Map.of("blobshuffle.store", directory.toUri().toString(), "blobshuffle.compression.type", "zstd"));
        try (ShuffleEngine engine = ShuffleEngine.open(settings)) {
            RecordingChannel channel = new RecordingChannel();
            List<String> expected = write(engine, channel);
            assertThat(drain(engine, channel)).isEqualTo(expected);
            assertThat(engine.metrics().value(Counter.PUTS)).isPositive();
            assertThat(engine.metrics().value(Counter.RECORDS_DELIVERED)).isEqualTo(100);
        }
    }

    @Test
    void whatAnInstanceWroteItReadsFromMemoryAndAfterARestartFromDisk(@TempDir Path blobs, @TempDir Path cache)
            throws Exception {
        Settings settings = EngineSettings.parse(
                Map.of("blobshuffle.store", blobs.toUri().toString(), "blobshuffle.cache.disk.dirs", cache.toString()));
        RecordingChannel channel = new RecordingChannel();
        List<String> expected;
        try (ShuffleEngine engine = ShuffleEngine.open(settings)) {
            expected = write(engine, channel);
            assertThat(drain(engine, channel)).isEqualTo(expected);
            assertThat(engine.metrics().value(Counter.CACHE_MEMORY_HITS)).isPositive();
            assertThat(engine.metrics().value(Counter.GETS)).isZero();
            await("the blobs that the background keeps on disk")
                    .atMost(Duration.ofMinutes(2))
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> engine.metrics().value(Gauge.CACHE_DISK_USED) > 0);
        }
        try (ShuffleEngine engine = ShuffleEngine.open(settings)) {
            assertThat(drain(engine, channel)).isEqualTo(expected);
            assertThat(engine.metrics().value(Counter.CACHE_DISK_HITS)).isPositive();
            assertThat(engine.metrics().value(Counter.GETS)).isZero();
        }
    }

    @Test
    void valuesAreTakenAndReceivedWhereTheyLie() throws Exception {
        RecordingChannel channel = new RecordingChannel();
        List<String> expected = new ArrayList<>();
        List<String> received = new ArrayList<>();
        try (ShuffleEngine engine =
                        ShuffleEngine.open(EngineSettings.parse(Map.of("blobshuffle.store", "memory://slices")));
                Lane lane = engine.lane("writer", channel);
                Debatcher<String> debatcher = engine.debatcher("reader")) {
            byte[] reused = new byte[20];
            for (int i = 0; i < 100; i++) {
                byte[] value = "v".repeat(i % 10).getBytes(StandardCharsets.UTF_8);
                System.arraycopy(value, 0, reused, 7, value.length);
                lane.output(PARTITION, Zone.SINGLE).append(i, reused, 7, value.length);
                expected.add(i + " " + "v".repeat(i % 10));
            }
            lane.flush(Duration.ofMinutes(1));
            long offset = 0;
            for (RecordingChannel.Sent sent : channel.sent(PARTITION)) {
                debatcher.offer(PARTITION, offset++, sent.notification(), 0, "carrier");
            }
            debatcher.prefetch();
            while (debatcher.undelivered(PARTITION) > 0) {
                debatcher.awaitProgress(Duration.ofSeconds(10));
                int ignored = debatcher.drain(1000, 1 << 20, new ViewSink(received));
            }
        }

        assertThat(received).isEqualTo(expected);
    }

    /** Takes values out of the arrays in which they lie. */
    private record ViewSink(List<String> received) implements Debatcher.Sink<String> {
        @Override
        public void record(Partition partition, long offset, int index, int count, RecordView view, String carrier) {
            assertThat(view.keyLength()).isZero();
            received.add(view.timestamp() + " "
                    + new String(view.array(), view.valueOffset(), view.valueLength(), StandardCharsets.UTF_8));
        }

        @Override
        public void plain(Partition partition, long offset, String plain) {
            throw new AssertionError("nothing was inlined");
        }
    }

    @Test
    void aCacheTooSmallForASectionIsRefused() {
        assertThatThrownBy(() -> EngineSettings.parse(Map.of("blobshuffle.cache.memory.bytes", "1 MiB")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("batch.max.bytes");
    }

    private static List<String> write(Engine engine, RecordingChannel channel) throws Exception {
        List<String> expected = new ArrayList<>();
        try (Lane lane = engine.lane("writer", channel)) {
            for (int i = 0; i < 100; i++) {
                lane.output(PARTITION, Zone.SINGLE)
                        .append(i, null, ("v" + i).getBytes(StandardCharsets.UTF_8), Headers.NONE);
                expected.add("v" + i);
            }
            lane.flush(Duration.ofMinutes(1));
        }
        return expected;
    }

    private static List<String> drain(Engine engine, RecordingChannel channel) throws InterruptedException {
        List<String> values = new ArrayList<>();
        Debatcher.Sink<String> sink = new Debatcher.Sink<>() {
            @Override
            public void record(
                    Partition partition, long offset, int index, int count, RecordView record, String carrier) {
                values.add(new String(record.value(), StandardCharsets.UTF_8));
            }

            @Override
            public void plain(Partition partition, long offset, String plain) {
                throw new AssertionError("nothing was inlined");
            }
        };
        try (Debatcher<String> debatcher = engine.debatcher("reader")) {
            long offset = 0;
            for (RecordingChannel.Sent sent : channel.sent(PARTITION)) {
                debatcher.offer(PARTITION, offset++, sent.notification(), 0, "carrier");
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

    @Test
    void anAddressOnWhichNothingWouldListenIsRefused() {
        Settings settings = EngineSettings.parse(
                Map.of("blobshuffle.store", "memory://unshared", "blobshuffle.peer.listen", "127.0.0.1:0"));
        assertThatThrownBy(() -> ShuffleEngine.open(settings))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("blobshuffle.peer.listen")
                .hasMessageContaining("no effect without blobshuffle.cache.zone.enabled=true");
    }

    @Test
    void aStoreMustBeNamed() {
        assertThatThrownBy(() -> ShuffleEngine.open(EngineSettings.parse(Map.of())))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("store");
    }

    @Test
    void anEngineThatIsClosedOpensNoLane() {
        ShuffleEngine engine =
                ShuffleEngine.open(EngineSettings.parse(Map.of("blobshuffle.store", "memory://engine-closed")));
        engine.close();
        engine.close();
        assertThatThrownBy(() -> engine.lane("late", new RecordingChannel())).isInstanceOf(ClosedException.class);
    }
}
