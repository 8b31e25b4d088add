package dev.blobshuffle.core.internal.settings;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.settings.ByteSize;
import java.time.Duration;
import java.util.Optional;

/** What settings must not say together, although each value is of its form. Immutable. */
final class Contradictions {
    private final Settings settings;

    Contradictions(Settings settings) {
        this.settings = settings;
    }

    /** @throws InvalidSettings fatal: two values contradict each other */
    void check() {
        ByteSize batch = settings.value(Settings.BATCH_MAX_BYTES);
        ByteSize buffer = settings.value(Settings.WRITE_BUFFER_BYTES);
        if (batch.bytes() > buffer.bytes() / 2) {
            throw contradiction(
                    Settings.BATCH_MAX_BYTES,
                    batch,
                    Settings.WRITE_BUFFER_BYTES,
                    buffer,
                    "One batch fills while another is stored, so give the buffer at least twice as much.");
        }
        ByteSize inline = settings.value(Settings.INLINE_MAX_BYTES).orElse(new ByteSize(0));
        if (inline.compareTo(batch) > 0) {
            throw contradiction(
                    Settings.INLINE_MAX_BYTES,
                    inline,
                    Settings.BATCH_MAX_BYTES,
                    batch,
                    "No blob would ever be written; set write.enabled=false if that is meant.");
        }
        Duration delay = settings.value(Settings.BATCH_MAX_DELAY);
        Duration timeout = settings.value(Settings.DELIVERY_TIMEOUT);
        if (delay.compareTo(timeout) >= 0) {
            throw contradiction(
                    Settings.BATCH_MAX_DELAY,
                    delay.toMillis(),
                    Settings.DELIVERY_TIMEOUT,
                    timeout.toMillis(),
                    "Give the delay less than the timeout.");
        }
        Duration grace = settings.value(Settings.SWEEP_INTERVAL).orElse(Duration.ofDays(3650));
        if (timeout.plus(Settings.LEAST_GRACE).compareTo(grace) > 0) {
            throw contradiction(
                    Settings.DELIVERY_TIMEOUT,
                    timeout.toMillis(),
                    Settings.SWEEP_INTERVAL,
                    grace.toMillis(),
                    "A blob would be deleted before its notification is sent: give the interval 15 minutes more than the timeout.");
        }
        checkTarget(delay, timeout);
        checkCaches();
    }

    private void checkTarget(Duration delay, Duration timeout) {
        Optional<Duration> given = settings.value(Settings.BATCH_TARGET_LATENCY);
        if (given.isEmpty()) {
            return;
        }
        long target = given.get().toMillis();
        if (delay.isZero()) {
            throw contradiction(
                    Settings.BATCH_TARGET_LATENCY,
                    target,
                    Settings.BATCH_MAX_DELAY,
                    0,
                    "The target chooses a delay up to that one: give it 1 or more, or leave one of them out.");
        }
        if (target >= timeout.toMillis()) {
            throw contradiction(
                    Settings.BATCH_TARGET_LATENCY,
                    target,
                    Settings.DELIVERY_TIMEOUT,
                    timeout.toMillis(),
                    "Batches could fill for longer than that: give the target less than the timeout.");
        }
    }

    private void checkCaches() {
        ByteSize batch = settings.value(Settings.BATCH_MAX_BYTES);
        ByteSize memory = settings.cacheMemory();
        boolean isNeeded = settings.value(Settings.CACHE_ZONE_ENABLED)
                || !settings.value(Settings.CACHE_DISK_DIRS).isEmpty();
        boolean isUsed = isNeeded || memory.bytes() > 0;
        if (isUsed && batch.bytes() > memory.bytes() / 2) {
            throw contradiction(
                    Settings.BATCH_MAX_BYTES,
                    batch,
                    Settings.CACHE_MEMORY_BYTES,
                    memory,
                    "What is cached passes through memory whole, so give the cache at least twice as much.");
        }
    }

    private static InvalidSettings contradiction(
            Setting<?> one, Object value, Setting<?> other, Object otherValue, String remedy) {
        return new InvalidSettings(
                "Cannot use setting " + one + "=" + value + " with " + other + "=" + otherValue + ". " + remedy);
    }
}
