package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.retention.BlobLifetime;
import dev.blobshuffle.core.internal.retention.SweepTiming;
import dev.blobshuffle.core.internal.retention.Sweeper;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.write.upload.StoreSink;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One schedule: the store and the log, the instances that come and go, the supervisor that kills
 * and replaces them, and what must hold in the end. Guarded by the simulation's baton.
 */
final class World {
    private static final Duration LATE_ENDS = Duration.ofMinutes(2);

    /**
     * The limit is high because requests fail, partitions move, and each change of the turn begins
     * with a listing.
     */
    private static final int MOST_SWEEPS = 40;

    private final SimulatedTime time;
    private final Seams seams;
    private final Schedule schedule;
    private final Ledger ledger = new Ledger();
    private final Input input;
    private final SimulatedLog log;
    private final SimulatedStore store;
    private final List<Instance> all = new ArrayList<>();
    private final Map<Integer, Instance> current = new HashMap<>();
    private final Set<Integer> written = new HashSet<>();
    private int streams;
    private boolean isCalm;
    private boolean isSwept;
    private boolean isFinished;
    private Optional<CombiningZone> zone = Optional.empty();
    private Optional<FastCopies> fast = Optional.empty();

    World(SimulatedTime time, Seams seams) {
        this(time, seams, Schedule.of(time));
    }

    private World(SimulatedTime time, Seams seams, Schedule schedule) {
        this.time = time;
        this.seams = seams;
        this.schedule = schedule;
        input = new Input(schedule, time::random);
        log = new SimulatedLog(schedule.partitions());
        store = new SimulatedStore(this::strikes, time, ledger, log::leadsTo);
    }

    /** A world whose instances combine their small blobs. */
    static World combining(SimulatedTime time, Seams seams) {
        World world = new World(time, seams, Schedule.of(time).combining(time));
        world.zone = Optional.of(new CombiningZone(world));
        return world;
    }

    /** A world whose store has two speeds. */
    static World ofTwoSpeeds(SimulatedTime time, Seams seams, FastCopies.Fleet fleet) {
        World world = new World(time, seams, Schedule.of(time).ofTwoSpeeds(time));
        world.fast = Optional.of(new FastCopies(world, fleet));
        return world;
    }

    /** Runs the schedule to its end and checks it. */
    void run() {
        zone.ifPresent(CombiningZone::start);
        for (int partition = 0; partition < schedule.partitions(); partition++) {
            assign(partition);
        }
        for (int number = 0; number < schedule.instances(); number++) {
            startInstance(number);
        }
        time.actor("supervisor", this::supervise);
        time.run();
        if (!ledger.isBroken()) {
            time.settle(LATE_ENDS);
            all.forEach(Instance::check);
            zone.ifPresent(CombiningZone::check);
            time.settle(LATE_ENDS);
            new Deliveries(schedule, input, ledger).check(log.outputs());
            long open = store.openBytes()
                    + fast.map(copies -> copies.store().openBytes()).orElse(0L);
            if (open != 0) {
                ledger.violation(open + " bytes that were read were not given back");
            }
        }
    }

    private void startInstance(int number) {
        Instance instance = new Instance(this, number);
        all.add(instance);
        current.put(number, instance);
        instance.start();
    }

    private void assign(int partition) {
        log.assign(partition, "reader-" + time.random(schedule.instances() * schedule.readers()));
    }

    /** Causes the schedule's chaos, and then waits for the end. */
    private void supervise() {
        for (int i = 0; i < schedule.chaos() && !isFinished() && !ledger.isBroken(); i++) {
            time.pause(Duration.ofMillis(20 + time.random(400)));
            strike();
            zone.ifPresent(CombiningZone::strike);
            fast.ifPresent(FastCopies::strike);
            if (!schedule.isSweeping()) {
                continue;
            }
            if (strikes(Fault.READER_RESET, 3)) {
                log.reset(time.random(schedule.partitions()));
            }
        }
        isCalm = true;
        while (!isFinished() && !ledger.isBroken()) {
            time.pause(Duration.ofMillis(50));
            if (areWritersDone()) {
                fast.ifPresent(FastCopies::skipLost);
            }
            if (schedule.isSweeping() && areWritersDone() && log.isConsumed()) {
                awaitSweeps();
            }
        }
        all.forEach(Instance::closeSweeper);
    }

    /** Waits until the sweepers have deleted every unneeded blob. */
    private void awaitSweeps() {
        for (int partition = 0; partition < schedule.partitions(); partition++) {
            if (log.end(partition) == 0) {
                isSwept = true; // A log without any entry keeps the blobs of its partition.
            }
            log.purge(partition);
        }
        Duration interval = schedule.step();
        for (int sweep = 0; sweep < MOST_SWEEPS && !isSwept && !ledger.isBroken(); sweep++) {
            isSwept = unneeded().isEmpty();
            time.pause(interval);
        }
        if (!isSwept) {
            ledger.violation("sweeps leave unneeded blobs: " + unneeded());
        }
    }

    private List<BlobId> unneeded() {
        return Stream.concat(store.unneeded().stream(), fast.map(FastCopies::unneeded).orElse(List.of()).stream())
                .filter(id -> id.owner() == owner())
                .toList();
    }

    /** The owner of the blobs. */
    int owner() {
        return zone.isPresent() ? CombiningZone.OWNER : BlobId.NO_OWNER;
    }

    /** The fast store; empty if the store has one speed. */
    Optional<FastCopies> fast() {
        return fast;
    }

    /** The blobs that instances announced before they were durable. */
    long early() {
        return all.stream().mapToLong(Instance::early).sum();
    }

    /** The store that has the range of a notification; empty if none has it. */
    Optional<SimulatedStore> storeOf(Notification notification) {
        if (store.holds(notification)) {
            return Optional.of(store);
        }
        return fast.map(FastCopies::store).filter(copies -> copies.holds(notification));
    }

    /** Whether a blob that no store has may be announced: the fast store has acknowledged it. */
    boolean isForgotten(Notification notification) {
        return fast.isPresent() && fast.get().hasAcknowledged(notification);
    }

    /** The zone whose instances combine small blobs; empty if they do not. */
    Optional<CombiningZone> zone() {
        return zone;
    }

    private void strike() {
        int number = time.random(schedule.instances());
        Instance victim = current.getOrDefault(number, all.get(0));
        int kind = time.random(9);
        if (kind == 8 && schedule.faults().contains(Fault.STORE_DOWN)) {
            ledger.fault(Fault.STORE_DOWN);
            store.fail(Duration.ofMillis(200 + time.random(2500)));
        } else if (kind == 0 && schedule.faults().contains(Fault.BLOB_HIDDEN)) {
            ledger.fault(Fault.BLOB_HIDDEN);
            // Shorter or longer than readers ask again for a blob that is missing.
            store.hide(Duration.ofMillis(time.random(2) == 0 ? 100 + time.random(1500) : 4000 + time.random(6000)));
        } else if (kind <= 2 && schedule.faults().contains(Fault.REASSIGNED)) {
            assign(time.random(schedule.partitions()));
            ledger.fault(Fault.REASSIGNED);
        } else if (kind <= 4 && schedule.faults().contains(Fault.ACTOR_KILLED) && victim.isRunning()) {
            victim.replaceActor(time.random(100));
        } else if (kind == 5 && schedule.faults().contains(Fault.PROCESS_REPLACED)) {
            ledger.fault(Fault.PROCESS_REPLACED);
            startInstance(number);
        } else {
            ledger.fault(Fault.PROCESS_KILLED);
            victim.process().kill();
            time.pause(Duration.ofMillis(50 + time.random(300)));
            startInstance(number);
        }
    }

    /** The engine of a process. */
    Engine engine(SimulatedProcess process) {
        BlobStore own = seams.store(client(process), time);
        ShuffleEngine.Builder builder = ShuffleEngine.builder(
                        zone.map(combining -> combining.owned(own)).orElse(own), process)
                .batching(schedule.batcher())
                .readBufferBytes(schedule.readBytes());
        ShuffleMetrics metrics = new ShuffleMetrics(process);
        if (fast.isPresent()) {
            builder.sinks(parts -> seams.sink(new StoreSink(parts.store()), parts.store()));
        }
        zone.ifPresent(combining -> builder.metrics(metrics)
                .sinks(parts -> seams.sink(combining.sink(process, parts, metrics), parts.store())));
        return builder.build();
    }

    private BlobStore client(SimulatedProcess process) {
        BlobStore durable = store.client(process);
        return fast.map(copies -> copies.with(durable, process)).orElse(durable);
    }

    /** The sweeper of a process; nothing watches its turn yet. */
    Sweeper sweeper(SimulatedProcess process, Engine engine) {
        Optional<SweepTiming> timing =
                schedule.isSweeping() ? Optional.of(seams.sweeps(schedule.sweeps())) : Optional.empty();
        return new Sweeper(
                timing,
                new BlobLifetime(Optional.empty(), Duration.ZERO),
                () -> client(process),
                new Sweeps(this),
                engine.metrics(),
                process);
    }

    /** Whether a kind of fault happens now; counts it. */
    boolean strikes(Fault fault, int oneIn) {
        boolean strikes = schedule.strikes(fault, oneIn, time);
        if (strikes) {
            ledger.fault(fault);
        }
        return strikes;
    }

    /**
     * Whether the supervisor has caused all its chaos. Until then no writer ends, so that chaos
     * finds all of them at work.
     */
    boolean isCalm() {
        return isCalm;
    }

    /** Records that a writer's input is written and committed. */
    void writerEnded(int lane) {
        written.add(lane);
    }

    boolean isWritten(int lane) {
        return written.contains(lane);
    }

    boolean areWritersDone() {
        return written.size() == input.lanes();
    }

    /** Whether everything is written, read and committed, and every unneeded blob is deleted. */
    boolean isFinished() {
        // Never reset: a zombie's successor has already written all records that the zombie sends
        // later.
        isFinished |= areWritersDone() && log.isConsumed() && (isSwept || !schedule.isSweeping());
        return isFinished;
    }

    /** A number for a span in which a reader owns a partition. */
    int nextStream() {
        return streams++;
    }

    SimulatedTime time() {
        return time;
    }

    Seams seams() {
        return seams;
    }

    Schedule schedule() {
        return schedule;
    }

    Ledger ledger() {
        return ledger;
    }

    Input input() {
        return input;
    }

    SimulatedLog log() {
        return log;
    }

    SimulatedStore store() {
        return store;
    }
}
