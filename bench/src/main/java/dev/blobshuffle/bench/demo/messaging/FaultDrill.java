package dev.blobshuffle.bench.demo.messaging;

import dev.blobshuffle.bench.demo.DemoFailedException;
import dev.blobshuffle.bench.demo.Progress;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Faults in a running demo, drawn from a seed. After each, a record of every publisher has to reach
 * the subscribers' table. Owned by one thread.
 */
final class FaultDrill {
    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final Duration LOOK = Duration.ofMillis(100);

    /** Longer than the lease of ten seconds. */
    private static final Duration LONG = Duration.ofSeconds(13);

    /** Covers a lease, a restart of the server and the clients' pauses between attempts. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final MessagingFault[] KINDS = MessagingFault.values();

    /** Starts another life of a publisher or a subscriber. */
    interface Starter {
        ChildProcess start(int zone, int life);
    }

    private final DemoDatabase database;
    private final Progress progress;
    private final List<ChildProcess> publishers;
    private final List<ChildProcess> subscribers;
    private final Starter publisher;
    private final Starter subscriber;
    private int lives;
    private int kills;
    private int failovers;

    FaultDrill(
            DemoDatabase database,
            Progress progress,
            List<ChildProcess> publishers,
            List<ChildProcess> subscribers,
            Starter publisher,
            Starter subscriber) {
        this.database = database;
        this.progress = progress;
        this.publishers = publishers;
        this.subscribers = subscribers;
        this.publisher = publisher;
        this.subscriber = subscriber;
    }

    /**
     * Causes faults one after the other.
     *
     * @throws DemoFailedException if the records stop for a minute after one of them, or a process
     *     ends by itself
     */
    void run(int faults, long seed) {
        Random random = new Random(seed);
        for (int number = 1; number <= faults; number++) {
            MessagingFault fault = KINDS[random.nextInt(KINDS.length)];
            int zone = random.nextInt(publishers.size());
            progress.begin("fault " + number + " of " + faults + ": " + fault + ", " + MessagingOptions.zone(zone));
            cause(fault, zone);
            awaitProgress(fault + " (fault " + number + " of seed " + seed + ")");
            if (fault == MessagingFault.FAILOVER) {
                recoverFromFailover();
            }
        }
    }

    /** Processes that were killed. */
    int kills() {
        return kills;
    }

    /** Failovers of the database. */
    int failovers() {
        return failovers;
    }

    private void cause(MessagingFault fault, int zone) {
        switch (fault) {
            case PUBLISHER_KILLED -> kill(publishers, zone, publisher);
            case PUBLISHER_PAUSED -> pause(publishers.get(zone), SHORT);
            case PUBLISHER_FENCED -> fence(zone);
            case SUBSCRIBER_KILLED -> kill(subscribers, zone, subscriber);
            case SUBSCRIBER_PAUSED -> pause(subscribers.get(zone), SHORT);
            case SUBSCRIBER_FENCED -> pause(subscribers.get(zone), LONG);
            case SUBSCRIBER_REPLACED -> replace(subscribers, zone, subscriber);
            case PRIMARY_PAUSED -> hold(database::pausePrimary, database::resumePrimary);
            case PRIMARY_RESTARTED -> database.restartPrimary();
            case FAILOVER -> {
                database.failOver();
                failovers++;
            }
            case STANDBY_PAUSED -> hold(database::pauseStandby, database::resumeStandby);
            case STANDBY_RESTARTED -> database.restartStandby();
            case SESSIONS_ENDED -> database.endSessions();
            case READ_ONLY -> hold(() -> database.refuseWrites(true), () -> database.refuseWrites(false));
        }
    }

    private void kill(List<ChildProcess> children, int zone, Starter starter) {
        children.get(zone).kill();
        kills++;
        start(children, zone, starter);
    }

    private void replace(List<ChildProcess> children, int zone, Starter starter) {
        children.get(zone).beginStop();
        children.get(zone).finishStop();
        start(children, zone, starter);
    }

    private void start(List<ChildProcess> children, int zone, Starter starter) {
        children.set(zone, starter.start(zone, ++lives));
        children.get(zone).awaitReady();
    }

    private void fence(int zone) {
        ChildProcess old = publishers.get(zone);
        try {
            old.pause();
            start(publishers, zone, publisher);
            old.resume();
            sleep(SHORT); // It tries to continue as a fenced writer.
        } finally {
            old.kill();
        }
    }

    private static void pause(ChildProcess child, Duration length) {
        child.pause();
        sleep(length);
        child.resume();
    }

    private static void hold(Runnable begin, Runnable end) {
        begin.run();
        sleep(SHORT);
        end.run();
    }

    /**
     * Each process knows only the servers of its start, so all of them restart with the new pair.
     */
    private void recoverFromFailover() {
        progress.begin("adding a synchronous standby, and restarting every process with both servers");
        database.protectAgain();
        for (int zone = 0; zone < publishers.size(); zone++) {
            replace(publishers, zone, publisher);
            replace(subscribers, zone, subscriber);
        }
        awaitProgress("the restarts after a failover");
    }

    private void awaitProgress(String cause) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        long row = database.newestRow();
        Set<String> lives = publishers.stream().map(ChildProcess::life).collect(Collectors.toSet());
        while (!database.publishersAfter(row).containsAll(lives)) {
            Stream.concat(publishers.stream(), subscribers.stream()).forEach(ChildProcess::check);
            if (System.nanoTime() > deadline) {
                throw new DemoFailedException("Cannot go on after " + cause + ": of " + lives + " only "
                        + database.publishersAfter(row) + " reached the table within " + PATIENCE.toSeconds()
                        + " s. The processes' threads:\n" + threads());
            }
            sleep(LOOK);
        }
    }

    private String threads() {
        return Stream.concat(publishers.stream(), subscribers.stream())
                .map(ChildProcess::threads)
                .collect(Collectors.joining("\n"));
    }

    private static void sleep(Duration length) {
        long end = System.nanoTime() + length.toNanos();
        for (long left = length.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
