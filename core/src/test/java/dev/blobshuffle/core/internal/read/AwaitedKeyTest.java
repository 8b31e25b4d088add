package dev.blobshuffle.core.internal.read;

import static dev.blobshuffle.core.internal.read.DebatcherFixture.P0;
import static dev.blobshuffle.core.internal.read.DebatcherFixture.P1;
import static dev.blobshuffle.core.internal.read.SegmentFixture.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.encryption.KeyProvider;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.shuffle.Debatcher.Position;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Encrypted segments with a missing key: the reader asks for the key again, then throws, and reads
 * once the key is available.
 */
class AwaitedKeyTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final AtomicLong WRITERS = new AtomicLong(1000);

    private final Source source = new Source();
    private final SteppedTime time = new SteppedTime();
    private final DebatcherFixture fixture =
            new DebatcherFixture(64 << 20, time, Keyring.reading(source).timeout(TIMEOUT));
    private final Debatcher<String> debatcher = fixture.debatcher;
    private final SegmentFixture sealed = sealing(fixture, "k1");

    @AfterEach
    void everyByteCameBack() {
        fixture.close();
        assertThat(time.pending()).as("timers left").isZero();
        time.close();
    }

    /** A separate writer, because Java refuses to encrypt twice with the same key and nonce. */
    private static SegmentFixture sealing(DebatcherFixture fixture, String key) {
        return new SegmentFixture(
                fixture.store,
                Codec.NONE,
                Keyring.writing(id -> Optional.of(new byte[Keyring.KEY_LENGTH]), key),
                WRITERS.incrementAndGet());
    }

    private void offer(Partition partition, long offset, Notification notification) {
        debatcher.offer(partition, offset, notification, 0, "c" + offset);
    }

    @Test
    void keyThatComesInTimeIsUsedAndNothingFails() {
        offer(P0, 0, sealed.segment(rows("a", 2)));
        offer(P0, 1, sealed.segment(rows("b", 1)));
        debatcher.offer(P1, 0, 1, "plain");
        debatcher.prefetch();
        assertThat(fixture.drain()).as("others go on meanwhile").containsExactly("plain");
        assertThat(debatcher.isFetching()).as("so that polls come back soon").isTrue();
        assertThat(fixture.engine.budget().used()).as("memory held").isZero();

        time.advance(TIMEOUT.minusSeconds(6));
        assertThat(fixture.drain()).isEmpty();
        assertThat(fixture.store.reads()).isEmpty();
        source.put("k1");
        time.advance(Duration.ofSeconds(5));
        debatcher.prefetch();
        assertThat(fixture.drain()).containsExactly("a-0", "a-1", "b-0");
    }

    @Test
    void ownerThatMustNotBlockIsCalledWhenTheKeyIsThere() {
        AtomicInteger calls = new AtomicInteger();
        try (Debatcher<String> called = fixture.engine.debatcher("called", calls::incrementAndGet)) {
            called.offer(P0, 0, sealed.segment(rows("a", 2)), 0, "c");
            called.prefetch();
            assertThat(calls).hasValue(0);
            source.put("k1");
            time.advance(Duration.ofSeconds(5));
            assertThat(calls).as("the key").hasValue(1);
            called.prefetch();
            assertThat(calls).as("the segment").hasValue(2);
            assertThat(called.drain(10, 1 << 20, fixture.sink)).isEqualTo(2);
        }
    }

    @Test
    void keyThatStaysAwayIsThrownAndUsedWhenItComes() {
        offer(P0, 0, sealed.segment(rows("a", 2)));
        debatcher.prefetch();
        time.advance(TIMEOUT);
        debatcher.prefetch();
        assertThat(source.asked).hasValueBetween(5, 12);
        int asked = source.asked.get();
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(fixture::drain)
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("'k1'")
                    .hasMessageContaining("Add the key there");
            assertThat(debatcher.head(P0)).contains(new Position(0, 0));
        }
        assertThat(source.asked).as("not asked with each call").hasValue(asked);

        time.advance(Duration.ofSeconds(1));
        debatcher.prefetch();
        assertThat(source.asked).as("asked once a second").hasValue(asked + 1);
        assertThatThrownBy(fixture::drain).isInstanceOf(InvalidSettingsException.class);

        source.put("k1");
        time.advance(Duration.ofSeconds(1));
        debatcher.prefetch();
        debatcher.prefetch();
        assertThat(fixture.drain()).containsExactly("a-0", "a-1");
    }

    @Test
    void failureIsNotForgottenBeforeItIsThrown() {
        offer(P0, 0, sealed.segment(rows("a", 2)));
        debatcher.prefetch();
        time.advance(TIMEOUT);
        debatcher.prefetch();
        time.advance(Duration.ofMinutes(10));
        debatcher.prefetch();
        assertThatThrownBy(fixture::drain).isInstanceOf(InvalidSettingsException.class);
    }

    @Test
    void anotherDebatcherOfTheInstanceReadsWhenTheKeyIsThere() {
        Notification segment = sealed.segment(rows("a", 2));
        offer(P0, 0, segment);
        debatcher.prefetch();
        time.advance(TIMEOUT);
        debatcher.prefetch();
        assertThatThrownBy(fixture::drain).isInstanceOf(InvalidSettingsException.class);
        debatcher.drop(P0);

        source.put("k1");
        time.advance(Duration.ofSeconds(1));
        try (Debatcher<String> restarted = fixture.engine.debatcher("restarted")) {
            restarted.offer(P0, 0, segment, 0, "c");
            restarted.prefetch();
            restarted.prefetch();
            assertThat(restarted.drain(10, 1 << 20, fixture.sink)).isEqualTo(2);
        }
    }

    @Test
    void allPartitionsWaitForOneQuestion() {
        for (int i = 0; i < 20; i++) {
            offer(new Partition("t", i), 0, sealed.segment(i, 64 << 10, rows("a", 1)));
        }
        debatcher.prefetch();
        debatcher.prefetch();
        assertThat(source.asked).hasValue(1);
        source.put("k1");
        time.advance(Duration.ofSeconds(1));
        debatcher.prefetch();
        assertThat(fixture.drain()).hasSize(20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"throttled", "denied", "broken"})
    void sourceThatRefusesAndThenAnswersIsHeard(String how) {
        source.put("k1");
        source.failure = switch (how) {
            case "throttled" -> new StoreUnavailableException("Cannot ask: slow down.");
            case "denied" -> new InvalidSettingsException("Cannot ask: denied.");
            default -> new IllegalStateException("a bug");
        };
        offer(P0, 0, sealed.segment(rows("a", 2)));
        debatcher.prefetch();
        time.advance(Duration.ofSeconds(20));
        assertThat(fixture.drain()).isEmpty();
        source.failure = null;
        time.advance(Duration.ofSeconds(5));
        debatcher.prefetch();
        assertThat(fixture.drain()).containsExactly("a-0", "a-1");
    }

    @Test
    void sourceThatKeepsRefusingFailsTheReaderWithItsReason() {
        source.failure = new StoreUnavailableException("Cannot ask: slow down.");
        offer(P0, 0, sealed.segment(rows("a", 2)));
        debatcher.prefetch();
        time.advance(TIMEOUT);
        debatcher.prefetch();
        assertThatThrownBy(fixture::drain)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("slow down");
    }

    @Test
    void readerOfAWithdrawnKeyFailsAndItsOtherKeysStay() {
        source.put("k1");
        source.put("k2");
        offer(P0, 0, sealed.segment(rows("a", 1)));
        offer(P1, 0, sealing(fixture, "k2").segment(1, 64 << 10, rows("b", 1)));
        debatcher.prefetch();
        debatcher.prefetch();
        assertThat(fixture.drain()).containsExactlyInAnyOrder("a-0", "b-0");

        source.keys.remove("k1");
        time.advance(Duration.ofSeconds(1));
        offer(P0, 1, sealed.segment(rows("c", 1)));
        offer(P1, 1, sealing(fixture, "k2").segment(1, 64 << 10, rows("d", 1)));
        debatcher.prefetch();
        assertThat(fixture.drain()).containsExactly("d-0");
        time.advance(TIMEOUT);
        debatcher.prefetch();
        assertThatThrownBy(fixture::drain)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("'k1'");
    }

    @Test
    void keyThatIsWithdrawnBetweenReadAndDecodingIsAwaited() {
        source.put("k1");
        offer(P0, 0, sealed.segment(rows("a", 1)));
        debatcher.prefetch();
        debatcher.prefetch();
        assertThat(fixture.store.reads()).hasSize(1);
        source.keys.remove("k1");
        time.advance(Duration.ofSeconds(1));
        fixture.engine.keys().refresh(time);
        assertThat(fixture.drain()).isEmpty();
        assertThat(fixture.drain()).isEmpty();

        source.put("k1");
        time.advance(Duration.ofSeconds(1));
        debatcher.prefetch();
        assertThat(fixture.drain()).containsExactly("a-0");
    }

    @Test
    void sourceThatHangsHoldsUpNoOtherPartition() throws InterruptedException {
        CountDownLatch answer = new CountDownLatch(1);
        KeyProvider hanging = id -> {
            try {
                answer.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Optional.of(new byte[Keyring.KEY_LENGTH]);
        };
        try (DebatcherFixture real = new DebatcherFixture(64 << 20, Keyring.reading(hanging))) {
            real.debatcher.offer(P0, 0, sealing(real, "k1").segment(rows("a", 1)), 0, "c");
            real.debatcher.offer(P1, 0, 1, "plain");
            real.debatcher.prefetch();
            assertThat(real.drain()).containsExactly("plain");
            answer.countDown();
            assertThat(real.drainUntil(2)).containsExactly("plain", "a-0");
        }
    }

    @Test
    void instanceWithoutKeysFailsAtOnce() {
        try (DebatcherFixture without = new DebatcherFixture(64 << 20)) {
            without.debatcher.offer(P0, 0, sealing(without, "k1").segment(rows("a", 1)), 0, "c");
            without.debatcher.prefetch();
            assertThatThrownBy(without::drain)
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("blobshuffle.encryption.keys");
        }
    }

    /** Keys that a test adds, withdraws and refuses. Thread-safe. */
    private static final class Source implements KeyProvider {
        final Map<String, byte[]> keys = new ConcurrentHashMap<>();
        final AtomicInteger asked = new AtomicInteger();
        volatile RuntimeException failure;

        void put(String id) {
            keys.put(id, new byte[Keyring.KEY_LENGTH]);
        }

        @Override
        public Optional<byte[]> key(String id) {
            asked.incrementAndGet();
            if (failure != null) {
                throw failure;
            }
            return Optional.ofNullable(keys.get(id)).map(byte[]::clone);
        }

        @Override
        public Set<String> withdrawn(Set<String> ids) {
            Set<String> missing = new HashSet<>(ids);
            missing.removeAll(keys.keySet());
            return missing;
        }

        @Override
        public String toString() {
            return "the test's keys";
        }
    }
}
