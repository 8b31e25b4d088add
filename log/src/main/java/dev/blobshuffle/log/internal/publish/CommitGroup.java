package dev.blobshuffle.log.internal.publish;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.OutcomeUnknownException;
import dev.blobshuffle.log.internal.LogBatch;
import dev.blobshuffle.log.internal.entries.EncodedEntries;
import dev.blobshuffle.log.internal.entries.EntriesEncoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Segments that are committed together, and their outcome. Guarded by its channel while it
 * collects; its batches do not change afterwards.
 */
final class CommitGroup {
    /** Most segments of a commit: about 200 KiB of entries. */
    private static final int MOST_SEGMENTS = 8 * 1024;

    /** Bytes of plain records at which the next commit begins. */
    private static final int MOST_PLAIN_BYTES = 256 * 1024;

    private final Map<Integer, EntriesEncoder> encoders = new LinkedHashMap<>();
    private final List<Channel.Delivery> deliveries = new ArrayList<>();
    private final List<Acknowledgements.Taken> taken = new ArrayList<>();
    private final int epoch;
    private final boolean isHeld;
    private int plainBytes;
    private @Nullable List<LogBatch> batches;
    private boolean isReported;
    private @Nullable RuntimeException refusal;
    private Time.@Nullable Cancellable timer;

    /**
     * An empty group.
     *
     * @param epoch of the lane
     * @param isHeld whether it waits for a transaction: then the lane does not get its outcome
     */
    CommitGroup(int epoch, boolean isHeld) {
        this.epoch = epoch;
        this.isHeld = isHeld;
    }

    int epoch() {
        return epoch;
    }

    boolean isFull() {
        return deliveries.size() >= MOST_SEGMENTS || plainBytes >= MOST_PLAIN_BYTES;
    }

    void add(int topic, Channel.Entry entry, Acknowledgements.Taken records) {
        deliveries.add(entry.delivery());
        taken.add(records);
        EntriesEncoder encoder = encoders.computeIfAbsent(topic, ignored -> new EntriesEncoder(LogBatch.MAX_ENTRIES));
        int partition = entry.partition().number();
        Notification notification = entry.notification();
        try {
            if (notification != null) {
                encoder.segment(partition, notification, entry.earliest(), entry.latest());
            } else {
                entry.records().forEach((timestamp, key, value, headers) -> {
                    encoder.record(partition, timestamp, key, value, headers);
                    plainBytes += (key == null ? 0 : key.length) + (value == null ? 0 : value.length);
                });
            }
        } catch (IllegalArgumentException e) {
            refusal = e; // Nothing of the group is committed, because its segments are consecutive.
        }
    }

    /** The reason why the group cannot be committed; null: it can. */
    @Nullable
    RuntimeException refusal() {
        return refusal;
    }

    /** Whether a blob is now too old to be committed. */
    boolean isTooLate() {
        for (Channel.Delivery delivery : deliveries) {
            if (delivery.isTooLate()) {
                return true;
            }
        }
        return false;
    }

    /** The topics, by number. */
    Set<Integer> topics() {
        return encoders.keySet();
    }

    /** The batches; the same at each call. After the first call nothing is added. */
    List<LogBatch> batches() {
        List<LogBatch> known = batches;
        if (known == null) {
            known = new ArrayList<>();
            for (Map.Entry<Integer, EntriesEncoder> topic : encoders.entrySet()) {
                for (EncodedEntries each : topic.getValue().finish()) {
                    known.add(new LogBatch(topic.getKey(), each.entries(), each.blobs(), each.bytes(), each.latest()));
                }
            }
            batches = known;
        }
        return known;
    }

    /** Whether the lane and the records have the outcome. */
    synchronized boolean isReported() {
        return isReported;
    }

    private synchronized boolean toReported() {
        boolean isFirst = !isReported;
        isReported = true;
        return isFirst;
    }

    /** Reports success, unless an outcome was reported. */
    void committed() {
        if (toReported()) {
            for (int i = 0; i < taken.size(); i++) {
                Acknowledgements.Taken records = taken.get(i);
                deliveries.get(i).whenDurable(records::committed, cause -> records.failed(mayBeLost(cause)));
            }
            if (!isHeld) {
                deliveries.forEach(Channel.Delivery::delivered);
            }
        }
    }

    /** The log has the records, and readers may see them until their blob is lost. */
    private static OutcomeUnknownException mayBeLost(RuntimeException cause) {
        return new OutcomeUnknownException(
                "Cannot confirm records: they are in the log, but their blob did not become durable. "
                        + cause.getMessage(),
                cause);
    }

    /** Reports a failure, unless an outcome was reported. */
    void failed(RuntimeException cause) {
        if (toReported()) {
            // The lane fails first, so that it has failed for every observer of the failure.
            if (!isHeld) {
                deliveries.forEach(delivery -> delivery.failed(cause));
            }
            taken.forEach(records -> records.failed(cause));
        }
    }

    /** Sets the timer to cancel when an outcome is reported. */
    synchronized void expireWith(Time.Cancellable expiry) {
        timer = expiry;
        if (isReported) {
            expiry.cancel();
        }
    }

    synchronized void cancelTimer() {
        if (timer != null) {
            timer.cancel();
        }
    }
}
