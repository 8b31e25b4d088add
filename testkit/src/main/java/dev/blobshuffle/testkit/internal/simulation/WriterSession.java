package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A writer's connection to the {@link SimulatedLog}. A send arrives later, in order, and its answer
 * later still. A refused send makes those after it fail too, up to the next rollback, as an
 * idempotent producer does. Sends of a killed process may still arrive. Guarded by the simulation's
 * baton.
 */
final class WriterSession implements Channel {
    private static final Duration LONG = Duration.ofMinutes(5);

    private final World world;
    private final SimulatedProcess process;
    private final String client;
    private final int lane;
    private final int epoch;
    private final Signal answered;

    /** The blobs of the notifications since the last commit. */
    private final Set<BlobId> sent = new HashSet<>();

    private boolean isInTransaction;
    private boolean isSending;
    private int unanswered;
    private long lastArrivalNanos;

    /** Number of rollbacks. The fate of a send before a rollback does not affect sends after it. */
    private int attempt;

    private int refusedAttempt = -1;

    WriterSession(World world, SimulatedProcess process, String client, int lane) {
        this.world = world;
        this.process = process;
        this.client = client;
        this.lane = lane;
        this.epoch = world.log().register(client);
        this.answered = process.signal();
    }

    /** Opens a transaction, if none is open. */
    void begin() {
        isInTransaction = true;
    }

    boolean isInTransaction() {
        return isInTransaction;
    }

    /** Position of the input after the last commit. */
    int committed() {
        return world.log().inputPosition(lane);
    }

    @Override
    public Duration longestDelivery() {
        return Schedule.LONGEST_DELIVERY;
    }

    @Override
    public void send(Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
        if (process.isAlive()) {
            check(partition, notification, earliest, latest);
        }
        enqueue(partition, notification, List.of(), delivery);
    }

    private void check(Partition partition, Notification notification, long earliest, long latest) {
        sent.add(notification.blob());
        Optional<SimulatedStore> store = world.storeOf(notification);
        if (store.isEmpty()) {
            if (!world.isForgotten(notification)) {
                world.ledger()
                        .violation("lane " + lane + " sent a notification whose range is not stored: " + notification);
            }
            return;
        }
        LongSummaryStatistics stored;
        try {
            stored = store.get().timestamps(partition, notification);
        } catch (BlobCorruptException e) {
            world.ledger().violation("lane " + lane + " sent a notification of other bytes: " + e.getMessage());
            return;
        }
        if (stored.getMin() != earliest || stored.getMax() != latest) {
            world.ledger()
                    .violation("lane " + lane + " sent a notification with timestamps " + earliest + " to " + latest
                            + ", its records have " + stored.getMin() + " to " + stored.getMax());
        }
    }

    @Override
    public void send(Partition partition, SegmentRecords records, Delivery delivery) {
        List<SimulatedLog.Plain> plain = new ArrayList<>(records.count());
        records.forEach((timestamp, key, value, headers) ->
                plain.add(new SimulatedLog.Plain(timestamp, key, value, copy(headers))));
        if (plain.size() != records.count()) {
            world.ledger()
                    .violation(
                            "lane " + lane + " sent " + plain.size() + " plain records and claims " + records.count());
        }
        enqueue(partition, null, plain, delivery);
    }

    /** Headers are valid during the call only: these are kept. */
    private static Headers copy(Headers headers) {
        int count = headers.count();
        String[] names = new String[count];
        byte[] @Nullable [] values = new byte[count][];
        for (int i = 0; i < count; i++) {
            names[i] = headers.name(i);
            values[i] = headers.value(i);
        }
        return new Headers() {
            @Override
            public int count() {
                return count;
            }

            @Override
            public String name(int index) {
                return names[index];
            }

            @Override
            public byte @Nullable [] value(int index) {
                return values[index];
            }
        };
    }

    private void enqueue(
            Partition partition,
            @Nullable Notification notification,
            List<SimulatedLog.Plain> plain,
            Delivery delivery) {
        if (!process.isAlive()) {
            return;
        }
        block();
        if (!isInTransaction) {
            world.ledger().violation("lane " + lane + " sent outside its transaction, to " + partition);
        }
        SimulatedTime time = world.time();
        long now = time.elapsed().toNanos();
        long arrival = Math.max(lastArrivalNanos + 1, now + time.random(20_000_000));
        lastArrivalNanos = arrival;
        unanswered++;
        int sentIn = attempt;
        time.schedule(
                Duration.ofNanos(arrival - now),
                () -> arrive(sentIn, partition.number(), notification, plain, delivery));
    }

    /**
     * Sometimes a send blocks, as a producer does without metadata or memory. No other thread may
     * send meanwhile.
     */
    private void block() {
        if (isSending) {
            world.ledger().violation("lane " + lane + " sent from two threads at once");
        }
        isSending = true;
        try {
            if (world.time().random(4) == 0) {
                world.time().pause(Duration.ofNanos(world.time().random(30_000_000)));
            }
        } finally {
            isSending = false;
        }
    }

    private void arrive(
            int sentIn,
            int partition,
            @Nullable Notification notification,
            List<SimulatedLog.Plain> plain,
            Delivery delivery) {
        // Without transactions a zombie's commits are fenced, but not its sends. In a schedule
        // without zombies, sends in flight from a dead writer are dropped, so that order can be
        // checked.
        boolean isFenceable = world.schedule().exactlyOnce() || !world.ledger().hasZombies();
        boolean fenced = isFenceable && world.log().isFenced(client, epoch);
        // The transaction of the send has ended. A broker would refuse the send by its sequence
        // number.
        boolean late = sentIn != attempt;
        if (!fenced && !late && refusedAttempt != sentIn && world.strikes(Fault.SEND_REFUSED, 40)) {
            refusedAttempt = sentIn;
        }
        if (fenced || late || refusedAttempt == sentIn) {
            answer(sentIn, () -> delivery.failed(new SimulatedLog.Fenced(client)));
            return;
        }
        SimulatedLog.Transaction transaction = world.schedule().exactlyOnce()
                ? world.log().transaction(client, epoch)
                : new SimulatedLog.Transaction(SimulatedLog.State.COMMITTED);
        if (notification != null) {
            if (world.storeOf(notification).isEmpty() && !world.isForgotten(notification)) {
                world.ledger().violation("a notification arrived whose blob is not stored any more: " + notification);
            }
            world.log().append(partition, transaction, notification, null);
        }
        for (SimulatedLog.Plain record : plain) {
            world.log().append(partition, transaction, null, record);
        }
        answer(sentIn, () -> {
            if (notification != null) {
                delivery.whenDurable(() -> requireDurable(notification.blob(), "answered"), lost -> {});
            }
            delivery.delivered();
        });
    }

    private void answer(int sentIn, Runnable delivery) {
        world.time().schedule(Duration.ofNanos(world.time().random(10_000_000)), () -> {
            if (!process.isAlive()) {
                return;
            }
            if (sentIn == attempt) {
                unanswered--;
            }
            delivery.run();
            answered.raise();
        });
    }

    @Override
    public void flush() {
        long deadline = process.nanos() + LONG.toNanos();
        while (true) {
            long seen = answered.count();
            if (unanswered == 0) {
                return;
            }
            try {
                if (!answered.await(seen, deadline)) {
                    world.ledger().violation("lane " + lane + " waits for answers that never come");
                    return;
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /**
     * Commits everything sent since the last commit, and the position of the input.
     *
     * @throws SimulatedLog.Fenced when the writer was replaced, or a send of the transaction was
     *     refused
     */
    void commit(int position) {
        flush();
        world.time().pause();
        // Without transactions only the lane knows of the refusal.
        if (refusedAttempt == attempt && world.schedule().exactlyOnce()) {
            throw new SimulatedLog.Fenced(client);
        }
        sent.forEach(blob -> requireDurable(blob, "committed"));
        sent.clear();
        world.log().commitInput(client, epoch, lane, position);
        isInTransaction = false;
        world.time().pause();
    }

    private void requireDurable(BlobId blob, String what) {
        if (!world.store().hasKept(blob)) {
            world.ledger().violation("lane " + lane + " " + what + " records whose blob is not durable: " + blob);
        }
    }

    /**
     * Rolls back to the last commit. Sends in flight are lost.
     *
     * @throws SimulatedLog.Fenced when the writer was replaced
     */
    void rollback() {
        if (!world.schedule().exactlyOnce()) {
            flush(); // Without transactions earlier sends stay, and arrive before the repeated ones.
        }
        attempt++;
        sent.clear();
        unanswered = 0;
        isInTransaction = false;
        world.log().abort(client, epoch);
    }
}
