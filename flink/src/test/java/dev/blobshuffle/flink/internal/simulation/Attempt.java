package dev.blobshuffle.flink.internal.simulation;

import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.pending.PendingGroup;
import dev.blobshuffle.flink.internal.reference.Reference;
import dev.blobshuffle.flink.internal.retain.CheckpointNeed;
import dev.blobshuffle.flink.internal.simulation.Edge.Barrier;
import dev.blobshuffle.flink.internal.zone.NearSubtasks;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.simulator.SkewedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.jspecify.annotations.Nullable;

/**
 * One execution attempt of a job: TaskManagers and subtasks, from a restore to a failure or the
 * end. Guarded by the simulation's baton.
 */
final class Attempt {
    static final OperatorID BATCHER = new OperatorID(0, 1);
    static final OperatorID DEBATCHER = new OperatorID(0, 2);

    private final JobManager job;
    private final TakenCheckpoint from;
    private final List<TaskManager> managers = new ArrayList<>();
    private final List<Sender> senders = new ArrayList<>();
    private final List<Receiver> receivers = new ArrayList<>();
    private final int receiverCount;
    private final int senderCount;
    private final Map<String, Edge> edges = new TreeMap<>();
    private final Map<Integer, Integer> owners = new TreeMap<>();
    private final Map<Integer, List<Integer>> cuts = new TreeMap<>();

    /** TaskManagers that go on after the attempt has failed. */
    private final Set<TaskManager> zombies = new HashSet<>();

    private final Resting resting;
    private @Nullable Throwable failure;
    private boolean isStopped;

    /** A process with an engine that its subtasks share. */
    record TaskManager(SimulatedProcess process, Engine engine, int zone) {}

    Attempt(JobManager job, TakenCheckpoint from, int senderCount, int receiverCount, BlobStore store) {
        this.job = job;
        this.from = from;
        this.senderCount = senderCount;
        this.receiverCount = receiverCount;
        resting = new Resting(receiverCount);
        int processes = 1 + time().random(3);
        for (int number = 0; number < processes; number++) {
            SimulatedProcess process = time().process("taskmanager-" + number);
            Engine engine = ShuffleEngine.builder(store, new SkewedTime(process, skew()))
                    .batching(job.schedule().batching())
                    .readBufferBytes(job.schedule().readBytes())
                    .build();
            managers.add(new TaskManager(
                    process, engine, time().random(Math.max(1, job.schedule().zones()))));
        }
    }

    private Duration skew() {
        int most = job.schedule().clockMinutes();
        int minutes = time().random(2 * most + 1) - most;
        if (minutes != 0) {
            job.ledger().fault(FlinkFault.CLOCK_OFF);
        }
        return Duration.ofMinutes(minutes);
    }

    /** Deploys all subtasks with the state of the checkpoint. */
    void start() {
        place();
        for (int index = 0; index < senderCount; index++) {
            senders.add(new Sender(this, index, managers.get(time().random(managers.size()))));
        }
        for (int index = 0; index < receiverCount; index++) {
            receivers.add(new Receiver(this, index, managers.get(time().random(managers.size())), from));
        }
        for (Sender sender : senders) {
            for (Receiver receiver : receivers) {
                Edge edge = new Edge(time(), job.schedule().room(), receiver.mailbox.signal());
                sender.connect(edge);
                receiver.connect(edge);
                edges.put(sender.index + "/" + receiver.index, edge);
            }
        }
        restore();
        senders.forEach(SimulatedTask::start);
        receivers.forEach(SimulatedTask::start);
    }

    /** Splits and their order: at the same parallelism they stay where they were. */
    private void place() {
        boolean isMoved = from.senders != senderCount;
        for (int split = 0; split < job.data().splits(); split++) {
            owners.put(split, isMoved ? time().random(senderCount) : from.owners.getOrDefault(split, 0));
            List<Integer> known = new ArrayList<>(from.cuts.getOrDefault(split, List.of()));
            if (isMoved && from.hasReferencesOnTheWay()) {
                known.add(from.positions.getOrDefault(split, 0));
            }
            cuts.put(split, known);
        }
    }

    private void restore() {
        boolean isMoved = from.senders != senderCount;
        Map<Integer, Integer> moved = new HashMap<>();
        Map<Integer, List<PendingGroup>> unsent = new HashMap<>();
        for (int old = 0; old < from.senders; old++) {
            int now = isMoved ? time().random(senderCount) : old;
            moved.put(old, now);
            unsent.computeIfAbsent(now, absent -> new ArrayList<>()).addAll(from.unsent.getOrDefault(old, List.of()));
        }
        from.overtaken.forEach((receiver, bySender) ->
                bySender.forEach((sender, elements) -> restore(moved.getOrDefault(sender, 0), receiver, elements)));
        for (Sender sender : senders) {
            Map<Integer, Integer> positions = new TreeMap<>();
            owners.forEach((split, owner) -> {
                if (owner == sender.index) {
                    positions.put(split, from.positions.getOrDefault(split, 0));
                }
            });
            sender.restore(positions, unsent.getOrDefault(sender.index, List.of()));
        }
    }

    /** Puts what was overtaken on its edge again, or on those of the new receivers. */
    private void restore(int sender, int receiver, List<Object> elements) {
        if (from.senders == senderCount && from.receivers == receiverCount) {
            // A sender begins active, so its former status does not count.
            edge(sender, receiver)
                    .restore(elements.stream()
                            .filter(each -> !(each instanceof WatermarkStatus))
                            .toList());
            elements.stream()
                    .filter(Watermark.class::isInstance)
                    .forEach(each -> resting.emitted(((Watermark) each).getTimestamp()));
        } else {
            elements.stream()
                    .filter(Reference.class::isInstance)
                    .map(Reference.class::cast)
                    .forEach(each -> edge(sender, receiver(each.group())).restore(List.of(each)));
        }
    }

    private int receiver(int group) {
        return KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(plan().maxParallelism(), receiverCount, group);
    }

    private Edge edge(int sender, int receiver) {
        Edge edge = edges.get(sender + "/" + receiver);
        if (edge == null) {
            throw new IllegalStateException("There is no edge from " + sender + " to " + receiver);
        }
        return edge;
    }

    // ---- what subtasks ask

    SimulatedTime time() {
        return job.time();
    }

    ShufflePlan plan() {
        return job.plan();
    }

    SourceData data() {
        return job.data();
    }

    FlinkSchedule schedule() {
        return job.schedule();
    }

    FlinkLedger ledger() {
        return job.ledger();
    }

    int senders() {
        return senderCount;
    }

    int receivers() {
        return receiverCount;
    }

    /** The sender of a split. */
    int owner(int split) {
        return owners.getOrDefault(split, 0);
    }

    Map<Integer, Integer> owners() {
        return owners;
    }

    /** Positions of a split at which later records may overtake earlier ones. */
    List<Integer> cuts(int split) {
        return cuts.getOrDefault(split, List.of());
    }

    Map<Integer, List<Integer>> cuts() {
        return cuts;
    }

    /** Which key groups are near a sender, if zones are known. */
    Optional<boolean[]> near(Sender sender) {
        if (job.schedule().zones() == 0) {
            return Optional.empty();
        }
        List<Boolean> near = receivers.stream()
                .map(receiver -> receiver.manager.zone() == sender.manager.zone())
                .toList();
        return Optional.of(new NearSubtasks(near).groups(plan().maxParallelism()));
    }

    /** Whether subtasks end one by one; none is ever idle then. */
    boolean endsEarly() {
        return job.schedule().endsEarly();
    }

    /** Whether a sender whose splits have ended may end. */
    boolean mayEnd() {
        return endsEarly() || senders.stream().allMatch(Sender::isRead) && !resting.isAny();
    }

    /** Which senders rest. */
    Resting resting() {
        return resting;
    }

    void needs(OperatorID operator, int subtask, CheckpointNeed need) {
        if (!isStopped) {
            job.retention().needs(operator, subtask, need);
        }
    }

    // ---- checkpoints

    /** Lets senders end that have sent all. The last one of them stays, to send the barriers. */
    void leave(TakenCheckpoint taken) {
        for (Sender sender : senders) {
            long others = senders.stream().filter(each -> !each.hasLeft()).count();
            if (sender.hasLeft() || others > 1 && sender.leaves()) {
                ledger().fault(FlinkFault.SENDER_ENDED);
                taken.hasEnded(sender.index, sender.positions());
            }
        }
    }

    boolean hasLeft(int sender) {
        return senders.get(sender).hasLeft();
    }

    /** Lets the senders take a checkpoint, each a little later. */
    void trigger(Barrier barrier) {
        senders.stream()
                .filter(sender -> !sender.hasLeft())
                .forEach(sender -> soon(() -> sender.mailbox.post(() -> sender.trigger(barrier))));
    }

    /** Announces an unaligned barrier to all receivers, each a little later. */
    void announce(Barrier barrier) {
        receivers.forEach(receiver -> soon(() -> receiver.mailbox.post(() -> receiver.announced(barrier))));
    }

    /**
     * Notifies all subtasks that a checkpoint was given up.
     *
     * @param mayLose whether a subtask may not receive the notice
     */
    void aborted(long checkpoint, boolean mayLose) {
        Stream.concat(senders.stream(), receivers.stream()).forEach(task -> {
            if (mayLose && time().random(4) == 0) {
                ledger().fault(FlinkFault.ABORT_LOST);
            } else {
                soon(() -> task.mailbox.post(() -> task.aborted(checkpoint)));
            }
        });
    }

    private void soon(Runnable message) {
        var ignored = time().schedule(Duration.ofMillis(time().random(30)), message);
    }

    void acknowledge(long checkpoint, Consumer<TakenCheckpoint> part) {
        if (!isStopped) {
            job.pending(checkpoint).ifPresent(part);
        }
    }

    void declined(long checkpoint, @Nullable Throwable cause) {
        if (!isStopped) {
            job.declined(checkpoint, cause);
        }
    }

    // ---- failures and the end

    void failed(String task, Throwable cause) {
        if (failure == null && !isStopped) {
            failure = cause;
            job.failed(task, cause);
        }
    }

    boolean hasFailed() {
        return failure != null;
    }

    boolean isFinished() {
        return failure == null && receivers.stream().allMatch(Receiver::isFinished);
    }

    /** Fails a task, or kills a TaskManager. */
    void strike(boolean isKill) {
        if (isKill) {
            managers.get(time().random(managers.size())).process().kill();
            failed("a TaskManager", new PlantedFailure());
        } else {
            List<SimulatedTask> tasks = Stream.<SimulatedTask>concat(senders.stream(), receivers.stream())
                    .toList();
            tasks.get(time().random(tasks.size())).mailbox.post(() -> {
                throw new PlantedFailure();
            });
        }
    }

    /**
     * Gives up a TaskManager that hangs. It goes on when others have its work, and ends later.
     *
     * @param forMillis how long it goes on
     */
    void giveUp(int forMillis) {
        TaskManager hanging = managers.get(time().random(managers.size()));
        zombies.add(hanging);
        var ignored = time().schedule(
                        Duration.ofMillis(forMillis), () -> hanging.process().kill());
        failed("a TaskManager", new PlantedFailure());
    }

    /** Kills all TaskManagers. */
    void killAll() {
        managers.forEach(manager -> manager.process().kill());
        failed("everything", new PlantedFailure());
    }

    /** Cancels all subtasks, and closes what is left of them. */
    void stop() {
        isStopped = true;
        List<SimulatedTask> tasks = Stream.<SimulatedTask>concat(senders.stream(), receivers.stream())
                .filter(task -> !zombies.contains(task.manager))
                .toList();
        tasks.forEach(SimulatedTask::kill);
        while (tasks.stream().anyMatch(SimulatedTask::isAlive)) {
            time().pause(Duration.ofMillis(1));
        }
        tasks.stream().filter(task -> task.manager.process().isAlive()).forEach(SimulatedTask::close);
        tasks.forEach(task -> task.mailbox.close());
        managers.stream()
                .filter(manager -> manager.process().isAlive() && !zombies.contains(manager))
                .forEach(manager -> manager.engine().close());
    }

    /** Nothing has come behind the savepoint with which the job stops. */
    void requireNothingBehind() {
        receivers.forEach(receiver -> receiver.results().requireNothingBehind());
    }

    /** What all subtasks behind the shuffle have. */
    Map<Integer, KeyedResults.Group> results() {
        Map<Integer, KeyedResults.Group> all = new TreeMap<>();
        receivers.forEach(receiver -> all.putAll(receiver.results().snapshot()));
        return all;
    }

    /** A failure that the schedule causes. */
    static final class PlantedFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        PlantedFailure() {
            super("planted");
        }
    }
}
