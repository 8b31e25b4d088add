package dev.blobshuffle.kstreams;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kstreams.internal.application.ApplicationSettings;
import dev.blobshuffle.kstreams.internal.application.ShuffledApplication;
import java.time.Duration;

/**
 * A planted mistake: makes the clients of {@link BlobShuffleClientSupplier}, except that a commit
 * does not wait for the records appended before it. Public, because Kafka Streams makes it.
 */
public final class ForgetfulSupplier extends ApplicationSupplier {
    @Override
    ShuffledApplication application(ApplicationSettings settings) {
        return new ShuffledApplication(settings, ForgetfulEngine::new);
    }

    private record ForgetfulEngine(Engine engine) implements Engine {
        @Override
        public Lane lane(String name, Channel channel) {
            return new ForgetfulLane(engine.lane(name, channel));
        }

        @Override
        public <C> Debatcher<C> debatcher(String name, Runnable onProgress) {
            return engine.debatcher(name, onProgress);
        }

        @Override
        public BlobStore store() {
            return engine.store();
        }

        @Override
        public ShuffleMetrics metrics() {
            return engine.metrics();
        }

        @Override
        public void close() {
            engine.close();
        }
    }

    private record ForgetfulLane(Lane lane) implements Lane {
        @Override
        public Output output(Partition partition, Zone zone) {
            return lane.output(partition, zone);
        }

        @Override
        public boolean forget(Partition partition) {
            return lane.forget(partition);
        }

        @Override
        public void seal() {
            lane.seal();
        }

        @Override
        public void flush(Duration timeout) {
            // The mistake: it does nothing.
        }

        @Override
        public void discard() {
            lane.discard();
        }

        @Override
        public RuntimeException failure() {
            return lane.failure();
        }

        @Override
        public boolean isDrained() {
            return true;
        }

        @Override
        public void giveUp() {
            lane.giveUp();
        }

        @Override
        public void close() {
            lane.close();
        }
    }
}
