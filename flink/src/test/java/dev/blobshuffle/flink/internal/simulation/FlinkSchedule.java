package dev.blobshuffle.flink.internal.simulation;

import dev.blobshuffle.core.internal.write.options.BatchScope;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.simulator.store.FaultPlan;
import dev.blobshuffle.simulator.store.StoreFault.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a seed decides before a schedule starts.
 *
 * @param maxParallelism the number of key groups
 * @param isLong whether inputs pause for minutes, so that blobs grow old
 * @param putsAfterBarrier the setting of that name
 * @param unalignedOneIn one in so many checkpoints is unaligned; 0: none
 * @param zones TaskManagers are in so many zones; 0: all records go through blobs
 * @param retained how many checkpoints are retained
 * @param chaos number of strikes
 * @param pendingBytes the setting {@code pending.max.bytes}
 * @param room how many elements fit into the network between two subtasks
 * @param recordsPerMail how many records a Debatcher hands out in one mail
 * @param burst how many records follow each other closely, on average
 * @param slowOneIn the operator behind the shuffle is slow for one in so many records
 * @param slowMillis for how long at most
 * @param endsEarly whether a subtask ends when its own splits have ended
 * @param readBytes the read budget of a TaskManager
 * @param timesOutOneIn one in so many aligned checkpoints becomes unaligned on its way; 0: none
 * @param clockMinutes how far the clocks of TaskManagers may be off, and the reserve of the horizon
 */
record FlinkSchedule(
        int splits,
        int records,
        int keys,
        int maxParallelism,
        boolean isLong,
        boolean putsAfterBarrier,
        int unalignedOneIn,
        int zones,
        int retained,
        int chaos,
        int pendingBytes,
        int room,
        int recordsPerMail,
        int burst,
        int slowOneIn,
        int slowMillis,
        boolean endsEarly,
        BatcherOptions batching,
        long readBytes,
        FaultPlan faults,
        FaultPlan sound,
        int timesOutOneIn,
        int clockMinutes) {

    /** The schedule of the time's seed. */
    static FlinkSchedule of(SimulatedTime time) {
        boolean isLong = time.random(3) == 0;
        return new FlinkSchedule(
                1 + time.random(4),
                40 + time.random(160),
                1 + time.random(time.random(2) == 0 ? 2 : 12),
                4 + time.random(time.random(2) == 0 ? 2 : 13),
                isLong,
                time.random(2) == 0,
                time.random(2) * (1 + time.random(3)),
                time.random(3) == 0 ? 0 : 2 + time.random(2),
                1 + time.random(3),
                8 + time.random(16),
                time.random(3) == 0 ? 1 + time.random(400) : 1 << 20,
                1 + time.random(12),
                1 + time.random(time.random(2) == 0 ? 4 : 512),
                2 + time.random(time.random(2) == 0 ? 4 : 40),
                time.random(2) == 0 ? 2 : 16,
                time.random(2) == 0 ? 200 : 20,
                time.random(3) == 0,
                batching(time),
                time.random(3) == 0 ? 1 : 1 << 16,
                faults(time),
                FaultPlan.random(time, 0, Duration.ofMillis(60), List.of(Kind.DELAY)),
                time.random(2) * (1 + time.random(3)),
                time.random(2) * (1 + time.random(20)));
    }

    private static BatcherOptions batching(SimulatedTime time) {
        int delay = time.random(4) == 0 ? 0 : 1 + time.random(time.random(2) == 0 ? 300 : 5_000);
        return BatcherOptions.builder()
                .batchBytes(1L << (7 + time.random(7)))
                .delay(Duration.ofMillis(delay))
                .scope(time.random(3) == 0 ? BatchScope.LANE : BatchScope.INSTANCE)
                .inlineBytes(time.random(4) == 0 ? 1L << (5 + time.random(5)) : 0)
                .deliveryTimeout(Duration.ofMillis(delay + 600 + time.random(time.random(2) == 0 ? 1_000 : 12_000)))
                .bufferBytes((long) 1024 << (5 + time.random(6)))
                .maxBlock(Duration.ofSeconds(20))
                .chunkBytes(1024)
                .workers(1 + time.random(2))
                .blobsInFlight(1 + time.random(4))
                .build();
    }

    private static FaultPlan faults(SimulatedTime time) {
        List<Kind> kinds = new ArrayList<>(List.of(Kind.DELAY));
        for (Kind kind : List.of(Kind.FAIL_BEFORE, Kind.FAIL_AFTER, Kind.THROTTLE, Kind.TRUNCATE, Kind.FLIP)) {
            if (time.random(2) == 0) {
                kinds.add(kind);
            }
        }
        Duration longest = Duration.ofMillis(time.random(3) == 0 ? 3_000 : 60);
        return FaultPlan.random(time, time.random(3) == 0 ? 0 : time.random(150), longest, kinds);
    }

    /** Time until the next strike. */
    Duration pause(SimulatedTime time) {
        return Duration.ofMillis(isLong && time.random(2) == 0 ? time.random(180_000) : time.random(400));
    }
}
