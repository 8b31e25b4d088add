package dev.blobshuffle.testkit.internal.log.simulation;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.TopicState;
import dev.blobshuffle.log.internal.group.GroupDescription;
import dev.blobshuffle.simulator.Actor;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.testkit.internal.log.Answers;
import dev.blobshuffle.testkit.internal.log.LogDefect;
import dev.blobshuffle.testkit.internal.log.MemoryDatabase;
import dev.blobshuffle.testkit.internal.log.MemoryLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One schedule: the database and the store, the processes that come and go, the supervisor that
 * kills and replaces them, and what must hold in the end. Guarded by the simulation's baton.
 */
final class LogWorld {
    private static final Duration PATIENCE = Duration.ofMinutes(30);

    private final SimulatedTime time;
    private final LogSchedule schedule;
    private final Set<ClientDefect> defects;
    private final LogLedger ledger = new LogLedger();
    private final PlannedLogFaults faults;
    private final MemoryDatabase database;
    private final LogBlobs blobs;
    private final List<Integer> topics = new ArrayList<>();
    private final Map<String, Integer> published = new HashMap<>();
    private final Map<String, Client> publishers = new HashMap<>();
    private final List<Client> zombies = new ArrayList<>();
    private final List<Client> subscribers = new ArrayList<>();
    private @Nullable BlobId lent;
    private int blobsMade;
    private int incarnations;
    private boolean isCalm;
    private boolean isConsumed;
    private boolean isFinished;

    /** A process with one client of the log. */
    private record Client(SimulatedProcess process, MemoryLog log, Actor actor) {}

    LogWorld(SimulatedTime time, Set<LogDefect> ofLog, Set<ClientDefect> ofClients) {
        this.time = time;
        defects = Set.copyOf(ofClients);
        schedule = LogSchedule.of(time);
        faults = new PlannedLogFaults(this);
        database = new MemoryDatabase(time, schedule.options(), faults, ofLog);
        blobs = new LogBlobs(this);
    }

    /** Runs the schedule to its end and checks it. */
    void run() {
        time.actor("supervisor", this::supervise);
        time.run();
        if (!ledger.isBroken()) {
            time.settle(Duration.ofMinutes(20));
            ledger.check(database.rows());
        }
    }

    // ---- supervisor

    private void supervise() {
        MemoryLog admin = new MemoryLog(database, time);
        createTopics(admin);
        for (int i = 0; i < schedule.publishers(); i++) {
            startPublisher("publisher-" + i);
        }
        for (int i = 0; i < schedule.subscribers(); i++) {
            startSubscriber();
        }
        for (int i = 0; i < schedule.sweepers(); i++) {
            SimulatedProcess process = time.process("sweeper-" + i);
            MemoryLog log = new MemoryLog(database, process);
            process.actor("sweep", () -> new LogSweeper(this, process, log).run());
        }
        for (int i = 0; i < schedule.chaos() && !ledger.isBroken(); i++) {
            time.pause(Duration.ofMillis(500 + time.random(schedule.longestPauseMillis())));
            setClockBack();
            strike();
            restartPublishers();
        }
        isCalm = true;
        faults.sequencingDown(false);
        until("publishers do not finish", this::arePublishersDone);
        until("batches stay staged: " + database.staged(), () -> database.staged() == 0);
        until("subscribers do not finish", () -> isEverythingCopied(admin));
        isConsumed = true;
        if (schedule.isTrimmedByAge()) {
            time.pause(LogSchedule.LONGEST_UPLOAD); // A clock that runs must not overtake uploads.
            database.shiftClock(LogSchedule.AGE.multipliedBy(2));
        }
        until(
                "sweeps leave blobs or rows",
                () -> blobs.all().isEmpty() && database.remains() == 0 || ledger.isBroken());
        isFinished = true;
    }

    private void createTopics(MemoryLog admin) {
        RetentionRule rule =
                schedule.isTrimmedByAge() ? new RetentionRule.For(LogSchedule.AGE) : new RetentionRule.UntilConsumed();
        while (topics.size() < schedule.topics()) {
            String name = "topic-" + topics.size();
            try {
                Answers.await(
                        time,
                        admin.topics().create(name, schedule.partitions(), rule).thenApply(created -> true));
                Answers.await(time, admin.topics().find(name)).ifPresent(topic -> topics.add(topic.number()));
            } catch (LogUnavailableException e) {
                shortPause();
            }
        }
    }

    /** Waits until something holds, which must be soon: nothing fails any more. */
    private void until(String complaint, BooleanSupplier condition) {
        Duration deadline = time.elapsed().plus(PATIENCE);
        while (!ledger.isBroken() && !condition.getAsBoolean()) {
            if (time.elapsed().compareTo(deadline) > 0) {
                ledger.violation(complaint + "; " + database.staged() + " batches are staged, the log holds "
                        + database.remains() + " rows, and the store " + blobs.all());
            }
            restartPublishers();
            time.pause(Duration.ofSeconds(2));
        }
    }

    private boolean arePublishersDone() {
        return publishers.entrySet().stream()
                        .allMatch(each -> !publishes(each.getKey())
                                && !each.getValue().actor().isAlive())
                && zombies.stream().noneMatch(zombie -> zombie.actor().isAlive());
    }

    private boolean isEverythingCopied(MemoryLog admin) {
        try {
            Map<Integer, Long> ends = Answers.await(time, admin.look(Set.copyOf(topics))).stream()
                    .collect(Collectors.toMap(TopicState::topic, TopicState::next));
            Optional<GroupDescription> group =
                    Answers.await(time, admin.groups().describe(LogSubscriber.GROUP));
            return group.isPresent()
                    && topics.stream().allMatch(topic -> ledger.end(topic) == ends.getOrDefault(topic, 0L))
                    && group.get().partitions().stream()
                            .allMatch(each -> LogPosition.of(each.position().orElse(0))
                                            .sequence()
                                    >= ends.getOrDefault(each.partition().topic(), 0L));
        } catch (LogUnavailableException e) {
            return false;
        }
    }

    // ---- chaos

    private void strike() {
        String publisher = "publisher-" + time.random(schedule.publishers());
        switch (time.random(6)) {
            case 0 -> {
                if (counts(LogFault.PUBLISHER_KILLED)) {
                    kill(publishers.get(publisher));
                }
            }
            case 1 -> {
                if (counts(LogFault.PUBLISHER_REPLACED)) {
                    Client old = publishers.get(publisher);
                    if (old != null) {
                        zombies.add(old);
                    }
                    startPublisher(publisher);
                }
            }
            case 2 -> {
                if (counts(LogFault.SUBSCRIBER_KILLED)) {
                    kill(subscribers.remove(time.random(subscribers.size())));
                    startSubscriber();
                }
            }
            case 3 -> {
                if (counts(LogFault.FAILED_OVER)) {
                    database.failOver();
                }
            }
            default -> {
                if (counts(LogFault.SEQUENCING_DOWN)) {
                    faults.sequencingDown(true);
                    time.schedule(Duration.ofMillis(2_000 + time.random(60_000)), () -> faults.sequencingDown(false));
                }
            }
        }
    }

    /** Once: twice would be more than slack and grace allow for. */
    private void setClockBack() {
        boolean isDue = time.elapsed().compareTo(LogSchedule.FIRST_BURIAL) > 0
                && !ledger.faults().containsKey(LogFault.CLOCK_WENT_BACK);
        if (isDue && counts(LogFault.CLOCK_WENT_BACK)) {
            database.failOver();
            database.shiftClock(
                    LogSchedule.CLOCK_BACK.minusMillis(time.random(90_000)).negated());
        }
    }

    private boolean counts(LogFault fault) {
        if (schedule.faults().contains(fault)) {
            ledger.fault(fault);
            return true;
        }
        return false;
    }

    /** The database notices a while later that a process is gone. */
    private void kill(@Nullable Client victim) {
        if (victim != null) {
            victim.process().kill();
            time.schedule(
                    Duration.ofMillis(time.random(5_000)), () -> victim.log().close());
        }
    }

    private void restartPublishers() {
        publishers.forEach((name, client) -> {
            if (publishes(name) && !client.actor().isAlive()) {
                startPublisher(name);
            }
        });
    }

    private void startPublisher(String name) {
        int incarnation = incarnations++;
        SimulatedProcess process = time.process(name + "#" + incarnation);
        MemoryLog log = new MemoryLog(database, process);
        Actor actor = process.actor("publish", () -> new LogPublisher(this, process, log, name, incarnation).run());
        publishers.put(name, new Client(process, log, actor));
    }

    private void startSubscriber() {
        SimulatedProcess process = time.process("subscriber-" + incarnations++);
        MemoryLog log = new MemoryLog(database, process);
        Actor actor = process.actor("copy", () -> new LogSubscriber(this, process, log).run());
        subscribers.add(new Client(process, log, actor));
    }

    // ---- for actors

    /** Whether a publisher has commits to make. */
    boolean publishes(String publisher) {
        return !ledger.isBroken() && published.getOrDefault(publisher, 0) < schedule.commits();
    }

    /** A publisher's commit was acknowledged. */
    void published(String publisher) {
        published.merge(publisher, 1, Integer::sum);
    }

    /** Whether every record is in the user's table. */
    boolean isConsumed() {
        return isConsumed;
    }

    /** Whether nothing is left to do. */
    boolean isFinished() {
        return isFinished || ledger.isBroken();
    }

    boolean has(ClientDefect defect) {
        return defects.contains(defect);
    }

    /** Whether a kind of fault happens now; counts it. */
    boolean strikes(LogFault fault, int oneIn) {
        boolean strikes = !isCalm && schedule.faults().contains(fault) && time.random(oneIn) == 0;
        if (strikes) {
            ledger.fault(fault);
        }
        return strikes;
    }

    /** A pause before something is tried again. */
    void shortPause() {
        time.pause(Duration.ofMillis(100 + time.random(2_000)));
    }

    /** The id of a new blob. */
    BlobId newBlob() {
        return new BlobId(time.wallMillis() / BlobId.MILLIS_PER_GENERATION, 1, blobsMade++);
    }

    /** Lets another publisher refer to a blob too, as if it had put its records into it. */
    void lend(BlobId blob) {
        lent = blob;
    }

    /** A blob of any publisher. */
    Optional<BlobId> borrow() {
        return Optional.ofNullable(lent);
    }

    /** Checks that no blob is dead to one transaction and alive to another. */
    void checkBlobs() {
        database.buriedAlive().forEach(blob -> ledger.violation("a batch refers to a buried blob: " + blob));
    }

    List<Integer> topics() {
        return topics;
    }

    SimulatedTime time() {
        return time;
    }

    LogSchedule schedule() {
        return schedule;
    }

    LogLedger ledger() {
        return ledger;
    }

    MemoryDatabase database() {
        return database;
    }

    LogBlobs blobs() {
        return blobs;
    }
}
