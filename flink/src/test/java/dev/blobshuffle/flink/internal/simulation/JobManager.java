package dev.blobshuffle.flink.internal.simulation;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.simulation.Attempt.PlantedFailure;
import dev.blobshuffle.flink.internal.simulation.Edge.Barrier;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.simulator.store.FaultPlan;
import dev.blobshuffle.simulator.store.FaultyBlobStore;
import dev.blobshuffle.simulator.store.StoreFault;
import dev.blobshuffle.simulator.store.StoreFault.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.jspecify.annotations.Nullable;

/**
 * One schedule: takes checkpoints of a job, causes its failures, restores it, and checks what must
 * hold in the end. Guarded by the simulation's baton.
 */
final class JobManager {
    private static final Duration LONGEST_CHECKPOINT = Duration.ofMinutes(1);

    private final SimulatedTime time;
    private final FlinkSchedule schedule;
    private final SourceData data;
    private final ShufflePlan plan;
    private final FlinkLedger ledger = new FlinkLedger();
    private final FaultyBlobStore store;
    private final Retention retention;
    private final TakenCheckpoint none;
    private TakenCheckpoint base;
    private @Nullable Attempt running;
    private @Nullable TakenCheckpoint pending;
    private long lastCheckpoint;
    private long downUntil;
    private boolean isCalm;

    JobManager(SimulatedTime time) {
        this.time = time;
        schedule = FlinkSchedule.of(time);
        data = new SourceData(schedule, time);
        plan = new ShufflePlan(
                "by-key",
                "1",
                Map.of(
                        "blobshuffle.store", "memory://simulation",
                        "blobshuffle.put.after.barrier", String.valueOf(schedule.putsAfterBarrier()),
                        "blobshuffle.pending.max.bytes", String.valueOf(schedule.pendingBytes()),
                        "blobshuffle.delivery.timeout.ms",
                                String.valueOf(
                                        schedule.batching().deliveryTimeout().toMillis())),
                schedule.maxParallelism(),
                id -> "");
        MemoryBlobStore memory = new MemoryBlobStore("flink", 64 << 20, time::wallMillis);
        store = new FaultyBlobStore(memory, time, this::fault);
        retention = new Retention(memory, time::wallMillis, ledger, schedule);
        retention.expect(() -> attempt().senders(), () -> attempt().receivers());
        retention.submitted();
        none = TakenCheckpoint.none(data.splits());
        base = none;
    }

    private StoreFault fault(FaultPlan.Request request) {
        if (isCalm) {
            return schedule.sound().next(request);
        }
        StoreFault fault = schedule.faults().next(request);
        if (time.elapsed().toMillis() < downUntil) {
            return new StoreFault(Kind.FAIL_BEFORE, fault.delay());
        }
        if (fault.kind() != Kind.DELAY) {
            ledger.fault(FlinkFault.STORE_FAILED);
        }
        return fault;
    }

    /** Runs the job to its end. */
    void run() {
        start(base);
        for (int strike = 0; strike < schedule.chaos() && !isOver(); strike++) {
            time.pause(schedule.pause(time));
            if (!restartIfFailed()) {
                strike();
            }
        }
        isCalm = true;
        while (!isOver()) {
            time.pause(Duration.ofMillis(50 + time.random(100)));
            if (!restartIfFailed() && time.random(60) == 0) {
                checkpoint();
            }
        }
        if (!ledger.isBroken()) {
            requireEverythingOnce();
            retention.requireAll();
        }
        attempt().stop();
    }

    private boolean isOver() {
        return ledger.isBroken() || attempt().isFinished();
    }

    private Attempt attempt() {
        Attempt present = running;
        if (present == null) {
            throw new IllegalStateException("No attempt runs.");
        }
        return present;
    }

    // ---- attempts

    private void start(TakenCheckpoint from) {
        boolean isRescaled = from.senders == 0 || time.random(3) == 0;
        int senders = isRescaled ? 1 + time.random(3) : from.senders;
        int receivers = isRescaled ? 1 + time.random(Math.min(4, schedule.maxParallelism())) : from.receivers;
        if (isRescaled && from.senders != 0) {
            ledger.fault(FlinkFault.RESCALED);
        }
        Attempt next = new Attempt(this, from, senders, receivers, retention.tasks(store));
        running = next;
        next.start();
    }

    /** Restores the job if it has failed. */
    private boolean restartIfFailed() {
        if (!attempt().hasFailed()) {
            return false;
        }
        attempt().stop();
        giveUpPending();
        if (ledger.isBroken()) {
            return true;
        }
        int kind = time.random(6);
        List<TakenCheckpoint> restorable = retention.restorable();
        if (kind == 0 && !restorable.isEmpty()) {
            TakenCheckpoint chosen = restorable.get(time.random(restorable.size()));
            if (!retention.newest().equals(Optional.of(chosen))) {
                ledger.fault(FlinkFault.RESTORED_OLDER);
            }
            submit(chosen);
            return true;
        }
        if (kind == 1) {
            retention.failedOver();
        } else {
            retention.restarted();
        }
        time.pause(Duration.ofMillis(time.random(500)));
        start(retention.newest().orElse(base));
        return true;
    }

    private void submit(TakenCheckpoint from) {
        retention.submitted();
        base = from;
        start(from);
    }

    /** A subtask has failed. */
    void failed(String task, Throwable cause) {
        if (isExpected(cause)) {
            if (!(cause instanceof PlantedFailure)) {
                ledger.fault(FlinkFault.PUT_FAILED);
            }
        } else {
            ledger.violation(task + " failed: " + SimulatedTask.describe(cause));
        }
    }

    private boolean isExpected(@Nullable Throwable cause) {
        if (cause instanceof BlobMissingException || cause instanceof InvalidSettingsException) {
            return false;
        }
        if (cause instanceof BlobCorruptException) {
            return !isCalm;
        }
        return cause instanceof PlantedFailure
                || cause instanceof CancellationException
                || cause instanceof BlobShuffleException;
    }

    private void strike() {
        int kind = time.random(18);
        if (kind < 10) {
            checkpoint();
        } else if (kind == 10) {
            Optional<TakenCheckpoint> ignored = take(SavepointType.savepoint(SavepointFormatType.CANONICAL));
        } else if (kind == 11) {
            stopWithSavepoint();
        } else if (kind == 12) {
            storeDown();
        } else {
            fail();
        }
    }

    private void storeDown() {
        if (time.random(4) > 0) {
            ledger.fault(FlinkFault.STORE_DOWN);
            downUntil = time.elapsed().toMillis() + 200 + time.random(4_000);
            return;
        }
        ledger.fault(FlinkFault.STORE_DOWN_LONG);
        downUntil = time.elapsed().toMillis() + 60_000 + time.random(240_000);
        while (time.elapsed().toMillis() < downUntil && !isOver()) {
            time.pause(Duration.ofMillis(1 + time.random(10_000)));
            if (!restartIfFailed() && time.random(4) == 0) {
                checkpoint();
            }
        }
    }

    private void fail() {
        int kind = time.random(5);
        if (kind == 4) {
            ledger.fault(FlinkFault.WENT_ON);
            attempt().giveUp(time.random(schedule.isLong() ? 180_000 : 3_000));
        } else if (kind == 0) {
            ledger.fault(FlinkFault.ALL_KILLED);
            attempt().killAll();
            retention.failedOver();
        } else {
            ledger.fault(kind == 1 ? FlinkFault.TASK_MANAGER_KILLED : FlinkFault.TASK_FAILED);
            attempt().strike(kind == 1);
        }
    }

    // ---- checkpoints

    private void checkpoint() {
        Optional<TakenCheckpoint> ignored = take(CheckpointType.CHECKPOINT);
    }

    /** Takes a checkpoint or savepoint. Returns it if it is complete. */
    private Optional<TakenCheckpoint> take(SnapshotType type) {
        boolean isUnaligned =
                !type.isSavepoint() && schedule.unalignedOneIn() > 0 && time.random(schedule.unalignedOneIn()) == 0;
        CheckpointStorageLocationReference place = CheckpointStorageLocationReference.getDefault();
        CheckpointOptions options = isUnaligned
                ? CheckpointOptions.unaligned(type, place)
                : CheckpointOptions.alignedNoTimeout(type, place);
        Barrier barrier = new Barrier(++lastCheckpoint, time.wallMillis(), options);
        Attempt attempt = attempt();
        TakenCheckpoint taken = new TakenCheckpoint(
                barrier,
                attempt.senders(),
                attempt.receivers(),
                Map.copyOf(attempt.owners()),
                Map.copyOf(attempt.cuts()));
        attempt.leave(taken);
        pending = taken;
        attempt.trigger(barrier);
        await(taken);
        pending = null;
        if (!taken.isComplete()) {
            giveUp(taken);
            return Optional.empty();
        }
        complete(taken);
        return Optional.of(taken);
    }

    /** Waits until it is complete, or something is in its way. */
    private void await(TakenCheckpoint taken) {
        long since = time.elapsed().toMillis();
        long abortAt = since + moment(6);
        long failAt = since + moment(8);
        long timeOutAt = timesOut(taken) ? since + time.random(300) : Long.MAX_VALUE;
        while (!taken.isComplete() && !taken.isDeclined() && !attempt().hasFailed() && !ledger.isBroken()) {
            time.pause(Duration.ofMillis(1 + time.random(20)));
            long now = time.elapsed().toMillis();
            if (now >= abortAt) {
                return;
            }
            if (now >= timeOutAt) {
                timeOutAt = Long.MAX_VALUE;
                timeOut(taken);
            }
            if (now >= failAt) {
                failAt = Long.MAX_VALUE;
                ledger.fault(FlinkFault.FAILED_IN_CHECKPOINT);
                fail();
            }
        }
    }

    private boolean timesOut(TakenCheckpoint taken) {
        return schedule.timesOutOneIn() > 0
                && !taken.isSavepoint()
                && !taken.isUnaligned()
                && time.random(schedule.timesOutOneIn()) == 0;
    }

    /** Its barriers overtake what they have waited behind. */
    private void timeOut(TakenCheckpoint taken) {
        ledger.fault(FlinkFault.TIMED_OUT);
        taken.timeOut();
        Barrier barrier = taken.barrier;
        attempt()
                .announce(new Barrier(
                        barrier.checkpoint(),
                        barrier.timestamp(),
                        CheckpointOptions.unaligned(
                                barrier.options().getCheckpointType(),
                                barrier.options().getTargetLocation())));
    }

    /** A moment in one checkpoint of so many; else its timeout, or later. */
    private long moment(int oneIn) {
        return isCalm || time.random(oneIn) > 0 ? LONGEST_CHECKPOINT.toMillis() : time.random(300);
    }

    private void complete(TakenCheckpoint taken) {
        if (taken.overtaken.values().stream()
                .flatMap(each -> each.values().stream())
                .anyMatch(elements -> !elements.isEmpty())) {
            ledger.fault(FlinkFault.OVERTAKEN);
        }
        if (taken.pending.stream().anyMatch(group -> group.firstRecord() > 0)) {
            ledger.fault(FlinkFault.IN_SEGMENT);
        }
        if (taken.isSavepoint()) {
            retention.saved(taken);
            return;
        }
        // A JobManager that is killed now has its reports, but never the notice.
        boolean isLost = !isCalm && time.random(8) == 0 || attempt().hasFailed();
        if (isLost) {
            ledger.fault(FlinkFault.NOTICE_LOST);
        }
        retention.completed(taken, !isLost);
        if (time.random(4) == 0) {
            retention.forgetUnneeded();
        }
    }

    private void giveUpPending() {
        TakenCheckpoint present = pending;
        pending = null;
        if (present != null) {
            retention.aborted(present.id());
        }
    }

    private void giveUp(TakenCheckpoint taken) {
        ledger.fault(taken.hasReceiver() ? FlinkFault.CHECKPOINT_ABORTED_LATE : FlinkFault.CHECKPOINT_ABORTED);
        retention.aborted(taken.id());
        attempt().aborted(taken.id(), !isCalm && !Sender.isSynchronous(taken.barrier));
    }

    private void stopWithSavepoint() {
        Optional<TakenCheckpoint> savepoint = take(SavepointType.suspend(SavepointFormatType.CANONICAL));
        if (savepoint.isEmpty()) {
            ledger.fault(FlinkFault.STOP_ABORTED);
            return;
        }
        // Mails still run.
        time.pause(Duration.ofMillis(time.random(500)));
        if (attempt().hasFailed()) {
            return; // The job fails before it ends, and Flink restores the newest checkpoint.
        }
        attempt().stop();
        attempt().requireNothingBehind();
        ledger.fault(FlinkFault.STOPPED);
        if (time.random(3) == 0) {
            ledger.fault(FlinkFault.BLOBS_GONE);
            retention.forget();
        }
        submit(savepoint.get());
    }

    /** The checkpoint that is being taken, if it is this one. */
    Optional<TakenCheckpoint> pending(long checkpoint) {
        return Optional.ofNullable(pending).filter(taken -> taken.id() == checkpoint);
    }

    /** A subtask cannot write its part. */
    void declined(long checkpoint, @Nullable Throwable cause) {
        if (!isExpected(cause)) {
            ledger.violation("checkpoint " + checkpoint + " was declined: " + SimulatedTask.describe(cause));
        }
        pending(checkpoint).ifPresent(taken -> {
            ledger.fault(FlinkFault.CHECKPOINT_DECLINED);
            taken.decline();
        });
    }

    // ---- the end

    private void requireEverythingOnce() {
        Set<Long> seen = new TreeSet<>();
        attempt()
                .results()
                .values()
                .forEach(group -> group.seen().forEach(id -> {
                    if (!seen.add(id)) {
                        ledger.violation("record " + (id >> 32) + "/" + id.intValue() + " is in two key groups");
                    }
                }));
        for (int split = 0; split < data.splits(); split++) {
            for (int number = 0; number < data.records(split); number++) {
                if (!seen.contains(new SourceData.Row(split, number, 0).id())) {
                    ledger.violation("record " + split + "/" + number + " is lost");
                }
            }
        }
    }

    SimulatedTime time() {
        return time;
    }

    FlinkSchedule schedule() {
        return schedule;
    }

    SourceData data() {
        return data;
    }

    ShufflePlan plan() {
        return plan;
    }

    FlinkLedger ledger() {
        return ledger;
    }

    Retention retention() {
        return retention;
    }
}
