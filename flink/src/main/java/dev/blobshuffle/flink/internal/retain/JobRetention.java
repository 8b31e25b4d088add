package dev.blobshuffle.flink.internal.retain;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.retention.BlobLifetime;
import dev.blobshuffle.core.internal.retention.Horizon;
import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.core.internal.retention.RetentionSettings;
import dev.blobshuffle.core.internal.retention.SweepRight;
import dev.blobshuffle.core.internal.retention.SweepSource;
import dev.blobshuffle.core.internal.retention.SweepTiming;
import dev.blobshuffle.core.internal.retention.Sweeper;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.store.MeteredBlobStore;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the blobs of a job that none of its retained checkpoints needs. Shuffles of a job with
 * the same settings share blobs, so they share this: a blob is needed while one of them needs it.
 * It works from the first completed checkpoint to the close of the last coordinator. Thread-safe.
 */
final class JobRetention implements SweepSource {
    /** In place of the usual times. Flink makes the coordinators, so tests cannot pass it. */
    static volatile Optional<SweepTiming> timingOfTests = Optional.empty();

    private final Settings settings;
    private final String job;
    private final Optional<SweepTiming> timing;
    private final List<Horizon> horizons = new ArrayList<>();
    private int users;
    private @Nullable Running running;

    /** The retention of a job, as its settings say. */
    JobRetention(Settings settings, String job) {
        this(
                settings,
                job,
                settings.value(RetentionSettings.SWEEP_INTERVAL)
                        .map(interval -> timingOfTests.orElse(SweepTiming.USUAL)));
    }

    /** The same with other times. */
    JobRetention(Settings settings, String job, Optional<SweepTiming> timing) {
        this.settings = settings;
        this.job = job;
        this.timing = timing;
    }

    /** A running sweeper, with its clock and threads. */
    private record Running(Sweeper sweeper, Membership.Reading turn, SystemTime time) {
        void close() {
            turn.close();
            sweeper.close();
            time.close();
        }
    }

    /** Takes account of a shuffle. All shuffles of a job are added before one starts. */
    synchronized void add(Horizon horizon) {
        horizons.add(horizon);
    }

    /** A shuffle starts. */
    synchronized void start() {
        users++;
    }

    /** A checkpoint is complete, so the store is there. */
    synchronized void work() {
        if (running == null && users > 0) {
            running = open();
        }
    }

    private Running open() {
        SystemTime time = new SystemTime();
        ShuffleMetrics metrics = new ShuffleMetrics(time);
        StoreContext context = new StoreContext(time, MeteredBlobStore.meter(metrics)).existing();
        String uri = JobStore.below(StoreSettings.uri(settings));
        Sweeper sweeper = new Sweeper(
                timing, BlobLifetime.of(settings), () -> BlobStores.openUnchecked(uri, context), this, metrics, time);
        // A sweeper works for an instance that has the turn. This one always has.
        Membership.Reading turn = sweeper.watch(Membership.none()).reading();
        turn.subscribed(Set.of(job));
        turn.reads(Set.of(new Partition(job, 0)));
        return new Running(sweeper, turn, time);
    }

    /** A shuffle ends. */
    synchronized void end() {
        Running last = running;
        if (--users == 0 && last != null) {
            running = null;
            last.close();
        }
    }

    /** A blob is deleted when no shuffle needs it. */
    private synchronized Optional<Horizon.Limit> limit(Instant now) {
        long lowest = Long.MAX_VALUE;
        for (Horizon horizon : horizons) {
            Optional<Horizon.Limit> limit = horizon.at(now);
            if (limit.isEmpty()) {
                return Optional.empty();
            }
            lowest = Math.min(lowest, limit.get().generation());
        }
        return horizons.isEmpty() ? Optional.empty() : Optional.of(Horizon.Limit.below(lowest));
    }

    @Override
    public boolean covers(String topic) {
        return true;
    }

    @Override
    public Optional<Horizon> horizon() {
        return Optional.of(this::limit);
    }

    @Override
    public SweepRight right(OwnerTiming owners, Time time) {
        return new JobSweepRight(
                job,
                settings.value(RetentionSettings.RETENTION),
                owners.waits(RetentionSettings.promise(settings, settings.value(WriteSettings.DELIVERY_TIMEOUT))),
                time);
    }

    @Override
    public NotificationLogs logs(Time time) {
        throw new IllegalStateException("Cannot read logs: checkpoints say what a job needs.");
    }
}
