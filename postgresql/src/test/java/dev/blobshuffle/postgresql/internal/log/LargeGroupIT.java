package dev.blobshuffle.postgresql.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.group.Lease;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.log.internal.group.Member;
import dev.blobshuffle.log.internal.group.OwnedPartition;
import dev.blobshuffle.testkit.internal.log.LogContract;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A group whose members join and leave all at once, with real rows.
 * {@code -Dblobshuffle.test.members=200 -Dblobshuffle.test.partitions=10000} makes it as large as
 * groups may be; it prints the time of each round.
 */
final class LargeGroupIT extends LogContract {
    private static final int MEMBERS = Integer.getInteger("blobshuffle.test.members", 20);
    private static final int PARTITIONS = Integer.getInteger("blobshuffle.test.partitions", 400);
    private static final int INSTANCES = 8;
    private static final int MOST_ROUNDS = 20;

    private final Map<UUID, Lease> leases = new ConcurrentHashMap<>();
    private final AtomicInteger refused = new AtomicInteger();

    private TestLog tenant;

    @Override
    protected LogUnderTest create() {
        tenant = new TestLog();
        return tenant;
    }

    @Test
    void membersThatJoinLeaveAndDieAtOnceSettle() {
        List<CommitLog> logs =
                IntStream.range(0, INSTANCES).mapToObj(i -> connect()).toList();
        LogTopic topic = topic(logs.get(0), "orders", PARTITIONS);
        List<Member> members = new ArrayList<>(IntStream.range(0, MEMBERS)
                .mapToObj(i -> new Member("billing", new UUID(7, i), new Zone("z" + i % 3), Set.of(topic.number())))
                .toList());
        settle("joined", logs, members);

        for (Member each : take(members, MEMBERS / 20)) {
            Object left = join(logs.get(0).groups().leave(each).thenApply(done -> true));
            assertThat(left).isEqualTo(true);
        }
        settle("left", logs, members);

        String dead = take(members, MEMBERS / 4).stream()
                .map(each -> "'" + each.id() + "'")
                .collect(Collectors.joining(","));
        tenant.execute(
                "update " + tenant.name() + ".member set lease_until = '-infinity' where member_id in (" + dead + ")");
        settle("dead", logs, members);
    }

    private List<Member> take(List<Member> members, int count) {
        List<Member> first = List.copyOf(members.subList(0, count));
        members.removeAll(first);
        first.forEach(each -> leases.remove(each.id()));
        return first;
    }

    private void settle(String what, List<CommitLog> logs, List<Member> members) {
        int round = 0;
        do {
            assertThat(++round)
                    .as("rounds until those who %s are settled", what)
                    .isLessThan(MOST_ROUNDS);
            refused.set(0);
            long began = System.nanoTime();
            CompletableFuture.allOf(
                            members.stream().map(member -> renew(logs, member)).toArray(CompletableFuture[]::new))
                    .join();
            System.out.println(what + ", round " + round + ": "
                    + Duration.ofNanos(System.nanoTime() - began).toMillis() + " ms, refused " + refused.get());
        } while (refused.get() > 0 || !isSettled(members));
    }

    private boolean isSettled(List<Member> members) {
        return owned().size() == PARTITIONS
                && members.stream()
                        .allMatch(each -> leases.containsKey(each.id())
                                && leases.get(each.id()).owned().size() >= PARTITIONS / members.size()
                                && leases.get(each.id()).owned().stream().noneMatch(OwnedPartition::isWanted));
    }

    private Set<LogPartition> owned() {
        Set<LogPartition> owned = new HashSet<>();
        leases.values().forEach(lease -> lease.owned().forEach(each -> owned.add(each.partition())));
        return owned;
    }

    /** The database may refuse a renewal that has waited too long; the next round repeats it. */
    private CompletableFuture<?> renew(List<CommitLog> logs, Member member) {
        CommitLog log = logs.get((int) (member.id().getLeastSignificantBits() % logs.size()));
        Lease before = leases.get(member.id());
        Set<LogPartition> released = before == null
                ? Set.of()
                : before.owned().stream()
                        .filter(OwnedPartition::isWanted)
                        .map(OwnedPartition::partition)
                        .collect(Collectors.toSet());
        return log.groups()
                .renew(member, released)
                .thenAccept(lease -> leases.put(member.id(), lease))
                .exceptionally(failure -> {
                    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                    assertThat(cause).isInstanceOf(LogUnavailableException.class);
                    refused.incrementAndGet();
                    return null;
                })
                .toCompletableFuture();
    }
}
