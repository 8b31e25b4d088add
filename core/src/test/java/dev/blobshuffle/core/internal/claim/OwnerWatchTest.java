package dev.blobshuffle.core.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.owner.OwnerText;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.owner.Promise;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.LentBlobStore;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.time.SystemTime;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** An instance finds or creates its owner, with a store and a cluster in memory. */
@ResourceLock(Resources.SYSTEM_ERR)
class OwnerWatchTest {
    private static final String WARNING = "A clock is wrong: this machine's clock is ";

    private static final Promise PROMISE = new Promise(Duration.ofMinutes(45), Optional.empty());

    /** Checks every 1.5 s. */
    private static final OwnerTiming OFTEN =
            new OwnerTiming(Duration.ofSeconds(2), Duration.ofSeconds(6), Duration.ZERO);

    private final RegisteredStore memory = new RegisteredStore();
    private final MemoryClaims cluster = new MemoryClaims("cluster");

    @AfterEach
    void close() {
        memory.close();
    }

    private BlobStore watched(OwnerSource source, SystemTime time) {
        return OwnerWatch.watched(new LentBlobStore(memory), source, OFTEN, time);
    }

    private static int owner(BlobStore store) {
        return store.owner().toCompletableFuture().join();
    }

    private OwnerText register() {
        try (SystemTime time = new SystemTime()) {
            return new OwnerRegister(memory, time).read();
        }
    }

    @Test
    void writerWhoseClockIsWrongIsWarnedOnce() {
        String logged = logged(Duration.ofHours(26), Duration.ofHours(-3));

        assertThat(logged).containsOnlyOnce(WARNING + "26 hours ahead of the store's");
        assertThat(logged).containsOnlyOnce(WARNING + "3 hours behind the store's");
    }

    @Test
    void writerWhoseClockIsRightEnoughIsNotWarned() {
        assertThat(logged(Duration.ofMinutes(14), Duration.ofMinutes(-14))).doesNotContain(WARNING);
    }

    /**
     * The log of instances that store a blob and check a few times, each with its own store and
     * cluster. They run at the same time, because a check comes after 1.5 s.
     */
    private static String logged(Duration... ahead) {
        PrintStream before = System.err;
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        System.setErr(new PrintStream(lines, true, StandardCharsets.UTF_8));
        Deque<AutoCloseable> open = new ArrayDeque<>();
        try {
            List<AtomicInteger> reads = new ArrayList<>();
            for (Duration clock : ahead) {
                SystemTime time = new SystemTime(() -> SystemTime.wallClock().getAsLong() + clock.toMillis());
                open.push(time);
                RegisteredStore memory = new RegisteredStore();
                open.push(memory);
                Counted counted = new Counted(new LentBlobStore(memory));
                OwnerSource source = new MemoryClaims("cluster").member("claims", PROMISE);
                BlobStore store = OwnerWatch.watched(counted, source, OFTEN, time);
                open.push(store);
                put(store, new BlobId(owner(store), 1, 1, 1));
                reads.add(counted.reads);
            }
            List<Integer> first = reads.stream().map(AtomicInteger::get).toList();
            await("three checks of each")
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> IntStream.range(0, reads.size())
                            .allMatch(i -> reads.get(i).get() > first.get(i) + 3));
        } finally {
            open.forEach(OwnerWatchTest::close);
            System.setErr(before);
        }
        return lines.toString(StandardCharsets.UTF_8);
    }

    private static void close(AutoCloseable one) {
        try {
            one.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void put(BlobStore store, BlobId id) {
        try {
            store.put(id, BlobContent.of(new byte[] {1})).toCompletableFuture().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    @Test
    void allInstancesWithAClaimsTopicHaveOneOwnerAndItStaysForever() {
        int first;
        try (SystemTime time = new SystemTime();
                BlobStore one = watched(cluster.member("claims", PROMISE), time);
                BlobStore two = watched(cluster.member("claims", PROMISE), time);
                BlobStore other = watched(cluster.member("other-claims", PROMISE), time)) {
            first = owner(one);
            assertThat(owner(two)).isEqualTo(first);
            assertThat(owner(other)).isNotEqualTo(first);
        }
        try (SystemTime time = new SystemTime();
                BlobStore later = watched(cluster.member("claims", PROMISE), time)) {
            assertThat(owner(later)).isEqualTo(first);
        }
        assertThat(register().owners()).hasSize(2);
    }

    @Test
    void anInstanceStoresForItsOwnerOnly() {
        try (SystemTime time = new SystemTime();
                BlobStore store = watched(cluster.member("claims", PROMISE), time)) {
            int other = owner(store) == 7 ? 8 : 7;
            for (BlobId id : List.of(new BlobId(other, 1, 1, 1), new BlobId(1, 1, 1))) {
                assertThatThrownBy(() -> put(store, id))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("stores for owner " + BlobId.hex(owner(store)));
            }
            put(store, new BlobId(owner(store), 1, 1, 1));
        }
    }

    /** The new owner never deletes blobs of the former one. */
    @Test
    void whoeverLostItsClaimsTopicMakesANewOwner() {
        int first;
        try (SystemTime time = new SystemTime();
                BlobStore store = watched(cluster.member("claims", PROMISE), time)) {
            first = owner(store);
        }
        cluster.forgetOwners("claims");
        try (SystemTime time = new SystemTime();
                BlobStore store = watched(cluster.member("claims", PROMISE), time)) {
            assertThat(owner(store)).isNotEqualTo(first);
        }
        assertThat(register().owners()).containsKey(first).hasSize(2);
    }

    @Test
    void whoeverMayNotUseItsOwnClaimsTopicStoresNothing() {
        cluster.refuse("claims", "may not use Kafka topic claims; grant its principal Create");
        PrintStream before = System.err;
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        System.setErr(new PrintStream(lines, true, StandardCharsets.UTF_8));
        try (SystemTime time = new SystemTime();
                BlobStore store = watched(cluster.member("claims", PROMISE), time)) {
            assertThatThrownBy(() -> owner(store))
                    .hasCauseInstanceOf(StoreUnavailableException.class)
                    .hasMessageEndingWith("grant its principal Create.");
            cluster.allow("claims");
            await("an owner").atMost(Duration.ofMinutes(2)).ignoreExceptions().until(() -> owner(store) > 0);
        } finally {
            System.setErr(before);
        }
        // The same happens for a new topic that the brokers do not know yet, so a stack trace would
        // be noise.
        assertThat(lines.toString(StandardCharsets.UTF_8))
                .containsOnlyOnce("grant its principal Create. Trying again.")
                .doesNotContain("\tat ");
    }

    /** The doubt is in the register, so that no sweep deletes by logs that may be a copy's. */
    @Test
    void whoeverMayNotReadAnothersClaimsTopicDoubtsAndStores() {
        PrintStream before = System.err;
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        System.setErr(new PrintStream(lines, true, StandardCharsets.UTF_8));
        try (SystemTime time = new SystemTime();
                BlobStore other = watched(cluster.member("other-claims", PROMISE), time)) {
            int ignored = owner(other);
            other.close(); // Its raise stays.
            cluster.refuse("other-claims", "may not use Kafka topic other-claims; grant its principal Read");
            try (BlobStore store = watched(cluster.member("claims", PROMISE), time)) {
                put(store, new BlobId(owner(store), 1, 1, 1));
            }
        } finally {
            System.setErr(before);
        }
        assertThat(register().doubt("cluster").orElseThrow()).contains("other-claims; grant its principal Read");
        assertThat(lines.toString(StandardCharsets.UTF_8))
                .contains("is deleted from memory:")
                .contains("may not use Kafka topic other-claims; grant its principal Read");
    }

    @Test
    void theRegisterHoldsTheLongestPromise() {
        Promise longer = new Promise(Duration.ofHours(2), Optional.of(Duration.ofDays(3)));
        try (SystemTime time = new SystemTime();
                BlobStore one = watched(cluster.member("claims", PROMISE), time);
                BlobStore two = watched(cluster.member("claims", longer), time)) {
            int owner = owner(one);
            assertThat(owner(two)).isEqualTo(owner);
            assertThat(register().owners().get(owner).promise())
                    .isEqualTo(new Promise(Duration.ofHours(2), Optional.empty()));
        }
    }

    /** Counts reads of registers. */
    private static final class Counted extends ForwardingBlobStore {
        private final AtomicInteger reads = new AtomicInteger();

        Counted(BlobStore store) {
            super(store);
        }

        @Override
        public Optional<Registers> registers() {
            Registers registers = super.registers().orElseThrow();
            return Optional.of(new Registers() {
                @Override
                public CompletionStage<Optional<Register>> read(String name) {
                    reads.incrementAndGet();
                    return registers.read(name);
                }

                @Override
                public CompletionStage<Boolean> replace(String name, Optional<Register> expected, String text) {
                    return registers.replace(name, expected, text);
                }
            });
        }
    }
}
