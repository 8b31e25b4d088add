package dev.blobshuffle.flightdaemon.internal.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Checks when the gate lets requests through to a store of copies, and when it suspends them. */
class CopyGateTest {
    private final AtomicLong passed = new AtomicLong();
    private final AtomicInteger asked = new AtomicInteger();
    private final SystemTime real = new SystemTime();
    private final CopyGate gate = new CopyGate(shifted());

    /** The system time, plus the time that the test has let pass. */
    private Time shifted() {
        return (Time) Proxy.newProxyInstance(
                Time.class.getClassLoader(), new Class<?>[] {Time.class}, (proxy, method, arguments) -> {
                    Object answer = method.invoke(real, arguments);
                    return method.getName().equals("nanos") ? (Long) answer + passed.get() : answer;
                });
    }

    @AfterEach
    void close() {
        real.close();
    }

    private int ask(RuntimeException failure) {
        return gate.ask(() -> {
            asked.incrementAndGet();
            throw failure;
        });
    }

    private void fail() {
        assertThatThrownBy(() -> ask(new StoreRefusedException("no bucket"))).hasMessage("no bucket");
    }

    @Test
    void whatFailsSoonIsRepeated() {
        assertThatThrownBy(() -> ask(new StoreUnavailableException("away"))).hasMessage("away");
        assertThat(asked).hasValue(3);
    }

    @Test
    void aStoreThatHasFailedRestsAndIsAskedAgain() {
        fail();
        assertThatThrownBy(() -> gate.ask(() -> "never asked"))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("has just failed")
                .hasMessageContaining("no bucket");
        passed.addAndGet(Duration.ofSeconds(6).toNanos());

        assertThat(gate.<String>ask(() -> "back")).isEqualTo("back");
        assertThat(gate.<String>ask(() -> "back")).isEqualTo("back");
    }

    /** A missing blob is a valid answer, so it ends the suspension. */
    @Test
    void aMissingBlobSaysThatTheStoreIsBack() {
        fail();
        passed.addAndGet(Duration.ofSeconds(6).toNanos());
        assertThatThrownBy(() -> ask(new BlobMissingException("gone"))).isInstanceOf(BlobMissingException.class);

        passed.addAndGet(Duration.ofSeconds(-6).toNanos());
        assertThat(gate.<String>ask(() -> "back")).isEqualTo("back");
    }
}
