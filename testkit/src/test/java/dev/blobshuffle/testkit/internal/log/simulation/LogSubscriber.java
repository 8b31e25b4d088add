package dev.blobshuffle.testkit.internal.log.simulation;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.failure.AlreadyCommittedException;
import dev.blobshuffle.log.failure.ConsumerFencedException;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.failure.OutcomeUnknownException;
import dev.blobshuffle.log.failure.PositionTrimmedException;
import dev.blobshuffle.log.failure.WriterFencedException;
import dev.blobshuffle.log.internal.Bookmark;
import dev.blobshuffle.log.internal.CommitLog.Hints;
import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.log.internal.LogTransaction;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.TopicState;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.group.Consumed;
import dev.blobshuffle.log.internal.group.Consumed.ConsumedPosition;
import dev.blobshuffle.log.internal.group.Lease;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.log.internal.group.Member;
import dev.blobshuffle.log.internal.group.OwnedPartition;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.testkit.internal.log.Answers;
import dev.blobshuffle.testkit.internal.log.MemoryLog;
import dev.blobshuffle.testkit.internal.log.UserTable;
import dev.blobshuffle.testkit.internal.log.simulation.LogLedger.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A member of the group: copies the records of its partitions into the user's table, in
 * transactions that commit their positions too. It renews its lease beside. Guarded by the baton.
 */
final class LogSubscriber {
    static final String GROUP = "copy";

    private static final Duration RENEWAL = Duration.ofSeconds(3);
    private static final Duration SOON = Duration.ofMillis(200);
    private static final Duration LONGEST_IDLE = Duration.ofSeconds(4);

    private final LogWorld world;
    private final SimulatedProcess process;
    private final MemoryLog log;
    private final SequencingLoop sequencing;
    private final Member member;
    private final Signal signal;
    private final Map<LogPartition, Owned> owned = new TreeMap<>();
    private final Set<LogPartition> busy = new HashSet<>();
    private final Map<Integer, Bookmark> last = new HashMap<>();
    private Writer writer;
    private long number;
    private Duration frozenUntil = Duration.ZERO;
    private boolean isEnded;

    /** A partition of this member, and where it goes on. */
    private record Owned(long generation, long next, boolean isWanted) {}

    LogSubscriber(LogWorld world, SimulatedProcess process, MemoryLog log) {
        this.world = world;
        this.process = process;
        this.log = log;
        sequencing = new SequencingLoop(world, process, log);
        member = new Member(
                GROUP,
                new UUID(process.randomLong(), process.randomLong()),
                new Zone("zone-" + world.time().random(2)),
                Set.copyOf(world.topics()));
        signal = process.signal();
    }

    /** Copies until everything is copied. */
    void run() {
        open();
        Hints hints = log.hints(topic -> signal.raise());
        renew();
        Duration idle = SOON;
        while (!world.isConsumed() && !world.ledger().isBroken()) {
            long seen = signal.count();
            boolean hasCopied = false;
            for (int topic : world.topics()) {
                hasCopied |= poll(topic);
            }
            if (hasCopied) {
                idle = SOON;
            } else {
                look();
                await(seen, idle);
                idle = idle.compareTo(LONGEST_IDLE) < 0 ? idle.multipliedBy(2) : LONGEST_IDLE;
            }
        }
        isEnded = true;
        hints.close();
    }

    private void await(long seen, Duration span) {
        try {
            boolean ignored = signal.await(seen, process.nanos() + span.toNanos());
        } catch (InterruptedException e) {
            throw new AssertionError("Nobody interrupts actors.", e);
        }
    }

    private void open() {
        writer = persistently(() -> log.open("subscriber-" + member.id()));
        number = writer.firstNumber();
    }

    private <T> T persistently(Supplier<CompletionStage<T>> call) {
        while (true) {
            try {
                return Answers.await(process, call.get());
            } catch (LogUnavailableException e) {
                world.shortPause();
            }
        }
    }

    /** Nobody else may know of batches that are staged. */
    private void look() {
        if (world.has(ClientDefect.SEQUENCES_ONCE)) {
            return;
        }
        try {
            Answers.await(process, log.look(Set.copyOf(world.topics()))).stream()
                    .filter(TopicState::isStaged)
                    .forEach(state -> sequencing.sequence(state.topic()));
        } catch (LogUnavailableException e) {
            world.shortPause();
        }
    }

    // ---- lease

    private void renew() {
        if (isEnded) {
            return;
        }
        Duration frozen = frozenUntil.minus(world.time().elapsed());
        if (!frozen.isNegative() && !frozen.isZero()) {
            process.schedule(frozen, this::renew);
            return;
        }
        Set<LogPartition> released = new HashSet<>();
        owned.forEach((partition, mine) -> {
            if (mine.isWanted && !busy.contains(partition)) {
                released.add(partition);
            }
        });
        released.forEach(owned::remove);
        log.groups().renew(member, released).whenComplete(this::renewed);
    }

    private void renewed(@Nullable Lease lease, @Nullable Throwable failure) {
        boolean isMoving = failure != null || lease == null;
        if (lease != null) {
            Map<LogPartition, Owned> before = new TreeMap<>(owned);
            owned.clear();
            for (OwnedPartition each : lease.owned()) {
                Owned known = before.get(each.partition());
                long next = known != null && known.generation == each.generation()
                        ? known.next
                        : LogPosition.of(each.position().orElse(0)).sequence();
                owned.put(each.partition(), new Owned(each.generation(), next, each.isWanted()));
                isMoving |= each.isWanted();
            }
            signal.raise();
        }
        process.schedule(isMoving ? SOON : RENEWAL, this::renew);
    }

    // ---- copying

    private boolean poll(int topic) {
        Map<LogPartition, Owned> mine = new TreeMap<>();
        owned.forEach((partition, each) -> {
            if (partition.topic() == topic && !each.isWanted) {
                mine.put(partition, each);
            }
        });
        if (mine.isEmpty()) {
            return false;
        }
        long from = mine.values().stream().mapToLong(Owned::next).min().orElse(0);
        List<SequencedBatch> batches = read(topic, from);
        if (batches.isEmpty()) {
            return false;
        }
        copy(topic, mine, batches);
        return true;
    }

    private List<SequencedBatch> read(int topic, long from) {
        Optional<Bookmark> bookmark = Optional.ofNullable(last.get(topic)).filter(each -> each.sequence() == from - 1);
        try {
            List<SequencedBatch> batches = Answers.await(
                    process,
                    log.read(new ReadRequest(topic, from, 1 + world.time().random(6), 1 << 20, bookmark)));
            long expected = from;
            for (SequencedBatch batch : batches) {
                if (batch.sequence() != expected++) {
                    world.ledger().violation("topic " + topic + " has a hole before sequence " + batch.sequence());
                }
                world.ledger().saw(topic, batch);
                last.put(topic, Bookmark.at(batch));
            }
            return batches;
        } catch (LogWentBackException e) {
            world.ledger().violation("the log reported that it went back: " + e.getMessage());
        } catch (LogUnavailableException e) {
            world.shortPause();
        } catch (PositionTrimmedException e) {
            // Its lease may have ended long ago, and another member may have gone on: the next
            // renewal says where.
            owned.keySet().removeIf(partition -> partition.topic() == topic);
        }
        return List.of();
    }

    private void copy(int topic, Map<LogPartition, Owned> mine, List<SequencedBatch> batches) {
        List<String> rows = new ArrayList<>();
        for (SequencedBatch batch : batches) {
            for (Row row : LogLedger.rows(topic, batch)) {
                Owned owner = mine.get(new LogPartition(topic, row.partition()));
                if (owner != null && owner.next <= batch.sequence()) {
                    rows.add(row.id());
                }
            }
        }
        long next = batches.get(batches.size() - 1).sequence() + 1;
        busy.addAll(mine.keySet());
        commit(rows, consumed(mine, next), () -> advance(mine, next));
        busy.removeAll(mine.keySet());
    }

    private Consumed consumed(Map<LogPartition, Owned> mine, long next) {
        List<ConsumedPosition> positions = new ArrayList<>();
        mine.forEach((partition, each) -> positions.add(new ConsumedPosition(
                partition, each.generation, new LogPosition(Math.max(next, each.next), 0).value(), Optional.empty())));
        return new Consumed(GROUP, member.id(), positions);
    }

    private void advance(Map<LogPartition, Owned> mine, long next) {
        mine.forEach((partition, each) -> owned.computeIfPresent(
                partition,
                (any, now) -> now.generation == each.generation
                        ? new Owned(now.generation, Math.max(next, now.next), now.isWanted)
                        : now));
    }

    /** Commits rows and positions once, however often it has to ask. */
    private void commit(List<String> rows, Consumed consumed, Runnable committed) {
        while (!world.ledger().isBroken()) {
            try {
                attempt(rows, consumed);
                number++;
                committed.run();
                return;
            } catch (AlreadyCommittedException e) {
                number++;
                committed.run();
                return;
            } catch (ConsumerFencedException e) {
                consumed.positions().forEach(position -> owned.remove(position.partition()));
                return;
            } catch (OutcomeUnknownException | WriterFencedException e) {
                if (e instanceof WriterFencedException || world.time().random(3) == 0) {
                    boolean isCommitted = persistently(() -> writer.wasCommitted(number));
                    open();
                    if (isCommitted) {
                        committed.run();
                        return;
                    }
                }
                world.shortPause();
            } catch (LogUnavailableException e) {
                world.shortPause();
            } catch (LogWentBackException e) {
                world.ledger().violation("the log reported that it went back: " + e.getMessage());
            }
        }
    }

    private void attempt(List<String> rows, Consumed consumed) {
        boolean isOutside = world.has(ClientDefect.POSITIONS_OUTSIDE);
        try (LogTransaction transaction = Answers.await(process, writer.begin())) {
            UserTable table = transaction.unwrap(UserTable.class);
            rows.forEach(table::insert);
            maybeFreeze();
            List<Long> none =
                    transaction.commit(number, List.of(), isOutside ? Optional.empty() : Optional.of(consumed));
            if (!none.isEmpty()) {
                world.ledger().violation("a commit without batches has ids");
            }
        }
        if (isOutside) {
            boolean ignored = persistently(() -> log.groups().commit(consumed).thenApply(done -> true));
        }
    }

    /** The whole process stands still, and then renews before it commits. */
    private void maybeFreeze() {
        if (world.strikes(LogFault.SUBSCRIBER_FROZEN, 10)) {
            Duration frozen = Duration.ofMillis(5_000 + world.time().random(20_000));
            frozenUntil = world.time().elapsed().plus(frozen);
            world.time().pause(frozen.plusMillis(world.time().random(30_000)));
        } else {
            world.time().pause(Duration.ofMillis(world.time().random(50)));
        }
    }
}
