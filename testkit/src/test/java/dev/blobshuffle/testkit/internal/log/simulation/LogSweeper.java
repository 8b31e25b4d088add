package dev.blobshuffle.testkit.internal.log.simulation;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.internal.Retention;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.testkit.internal.log.Answers;
import dev.blobshuffle.testkit.internal.log.MemoryLog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * Trims, buries what nobody refers to, lists for orphans, and deletes what is due, in turns.
 * Several may run at once. Guarded by the baton.
 */
final class LogSweeper {
    private static final int MOST = 50;

    private final LogWorld world;
    private final SimulatedProcess process;
    private final Retention retention;

    LogSweeper(LogWorld world, SimulatedProcess process, MemoryLog log) {
        this.world = world;
        this.process = process;
        retention = log.retention();
    }

    /** Sweeps until the schedule ends. */
    void run() {
        while (!world.isFinished()) {
            world.time().pause(Duration.ofMillis(15_000 + world.time().random(30_000)));
            try {
                sweep();
            } catch (LogUnavailableException | StoreUnavailableException e) {
                world.shortPause();
            }
        }
    }

    private <T> T await(CompletionStage<T> stage) {
        return Answers.await(process, stage);
    }

    private void sweep() {
        world.checkBlobs();
        OptionalInt trimmed;
        do {
            trimmed = await(retention.trim());
        } while (trimmed.orElse(0) > 0);
        Map<Long, List<BlobId>> candidates =
                new TreeMap<>(await(retention.unreferenced(Optional.empty(), MOST)).stream()
                        .collect(Collectors.groupingBy(BlobId::generation)));
        candidates.forEach(this::bury);
        listGenerations();
        List<BlobId> due = await(retention.due(MOST));
        if (!due.isEmpty()) {
            boolean ignored = await(world.blobs().delete(due));
            boolean forgotten = await(retention.forget(due).thenApply(done -> true));
        }
    }

    private OptionalInt bury(long generation, List<BlobId> blobs) {
        return await(retention.bury(generation, blobs, LogSchedule.GRACE));
    }

    /** A generation is listed until no upload of it can be under way. */
    private void listGenerations() {
        Map<Long, Instant> listed = await(retention.listed());
        for (long generation : await(world.blobs().generations())) {
            Instant end = Instant.ofEpochMilli((generation + 1) * BlobId.MILLIS_PER_GENERATION);
            Instant before = listed.get(generation);
            boolean isDone = before != null
                    && (before.isAfter(end.plus(LogSchedule.LONGEST_UPLOAD)) || world.has(ClientDefect.LISTS_ONCE));
            if (isDone) {
                continue;
            }
            List<BlobId> found = await(world.blobs().list(generation));
            if (bury(generation, found).isPresent()) {
                boolean ignored = await(retention.markListed(generation).thenApply(done -> true));
            }
        }
    }
}
