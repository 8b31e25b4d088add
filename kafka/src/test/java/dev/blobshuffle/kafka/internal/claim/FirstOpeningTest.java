package dev.blobshuffle.kafka.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.StoreAbsentException;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;

/** When an instance opens an existing store, and when it creates one. */
class FirstOpeningTest {
    private static final ClaimIdentity IDENTITY = identity(Map.of("bootstrap.servers", "none:1"));

    private final BlobStore store = new MemoryBlobStore("first-opening", 1 << 20);
    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicInteger made = new AtomicInteger();

    private BlobStore open(int absentLooks, boolean isRemembered) {
        return StoreClaim.openOrMake(
                () -> {
                    if (looks.incrementAndGet() <= absentLooks) {
                        throw new StoreAbsentException("absent");
                    }
                    return store;
                },
                () -> {
                    made.incrementAndGet();
                    return store;
                },
                absent -> isRemembered,
                IDENTITY);
    }

    private static ClaimIdentity identity(Map<String, ?> client) {
        return ClaimIdentity.ofStreams("app", client, KafkaSettings.parse(Map.of()));
    }

    @Test
    void aStoreThatASiblingMakesMeanwhileIsOpened() {
        assertThat(open(1, true)).isSameAs(store);
        assertThat(made).hasValue(0);
    }

    @Test
    void aStoreThatTheApplicationHadIsNotMadeAgain() {
        assertThatThrownBy(() -> open(2, true))
                .isInstanceOf(StoreAbsentException.class)
                .hasMessageContaining("'app' has used a store before");
        assertThat(made).hasValue(0);
    }

    @Test
    void theFirstStoreOfAnApplicationIsMade() {
        assertThat(open(1, false)).isSameAs(store);
        assertThat(made).hasValue(1);
    }

    @Test
    void anApplicationThatMayNotReadTheTopicIsNotKeptWaiting() {
        AtomicInteger asked = new AtomicInteger();
        try (SystemTime time = new SystemTime()) {
            assertThatThrownBy(() -> StoreClaim.remembers(
                            () -> {
                                asked.incrementAndGet();
                                throw new TopicAuthorizationException("denied");
                            },
                            IDENTITY,
                            new StoreAbsentException("absent"),
                            time))
                    .isInstanceOf(StoreAbsentException.class)
                    .hasMessageContaining("cannot be read: denied")
                    .hasMessageEndingWith("grant its principal Create, Describe, Read and Write on it.");
        }
        assertThat(asked).hasValue(1);
    }

    @Test
    void brokersThatDoNotAnswerAreAskedAgain() {
        AtomicInteger asked = new AtomicInteger();
        try (SystemTime time = new SystemTime()) {
            boolean remembers = StoreClaim.remembers(
                    () -> {
                        if (asked.incrementAndGet() == 1) {
                            throw new KafkaException("silent", new TimeoutException());
                        }
                        return true;
                    },
                    IDENTITY,
                    new StoreAbsentException("absent"),
                    time);
            assertThat(remembers).isTrue();
        }
    }

    @Test
    void aWrongTimeoutIsRefusedByItsName() {
        ClaimIdentity wrong = identity(Map.of("default.api.timeout.ms", "a minute"));
        assertThatThrownBy(wrong::patience)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("default.api.timeout.ms");
        assertThat(identity(Map.of("default.api.timeout.ms", 5000)).patience()).isEqualTo(Duration.ofSeconds(5));
    }
}
