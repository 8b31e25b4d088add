package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.kafka.internal.client.HeaderAdapter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * The channel of a Batcher operator: a queue from the lane to the stream thread. Only the stream
 * thread may forward, so the lane's segments wait here in order. The stream thread empties the
 * queue with every record, so it holds at most the segments appended since then.
 *
 * <p>Thread-safe; {@link #flush()} belongs to the stream thread.
 */
final class Arrivals implements Channel {
    private final Queue<Arrival> queue = new ConcurrentLinkedQueue<>();
    private final Duration longestDelivery;
    private final Runnable forwarding;

    /**
     * @param longestDelivery the longest time that the application's producer holds a forwarded
     *     record
     * @param forwarding forwards everything in the queue; called by the stream thread
     */
    Arrivals(Duration longestDelivery, Runnable forwarding) {
        this.longestDelivery = longestDelivery;
        this.forwarding = forwarding;
    }

    @Override
    public Duration longestDelivery() {
        return longestDelivery;
    }

    /** A segment from the lane. */
    sealed interface Arrival {
        int partition();

        Delivery delivery();
    }

    /**
     * A segment in a blob.
     *
     * @param earliest the smallest timestamp of its records
     */
    record Stored(int partition, Notification notification, long earliest, Delivery delivery) implements Arrival {}

    /** A segment that is too small for a blob. */
    record Inlined(int partition, List<Plain> records, Delivery delivery) implements Arrival {}

    /** One record of an inlined segment. */
    record Plain(long timestamp, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {}

    boolean isEmpty() {
        return queue.isEmpty();
    }

    @Nullable
    Arrival poll() {
        return queue.poll();
    }

    void clear() {
        queue.clear();
    }

    @Override
    public void send(Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
        queue.add(new Stored(partition.number(), notification, earliest, delivery));
    }

    @Override
    public void send(Partition partition, SegmentRecords records, Delivery delivery) {
        List<Plain> copies = new ArrayList<>(records.count());
        records.forEach((timestamp, key, value, headers) ->
                copies.add(new Plain(timestamp, key, value, HeaderAdapter.toKafka(headers))));
        queue.add(new Inlined(partition.number(), copies, delivery));
    }

    @Override
    public void flush() {
        forwarding.run();
    }
}
