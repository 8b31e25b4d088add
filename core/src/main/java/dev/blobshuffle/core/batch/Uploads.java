package dev.blobshuffle.core.batch;

import dev.blobshuffle.core.failure.Closed;
import dev.blobshuffle.core.format.BlobId;
import dev.blobshuffle.core.format.Partition;
import dev.blobshuffle.core.format.record.BlobLayout;
import dev.blobshuffle.core.format.record.FrameEncoder;
import dev.blobshuffle.core.format.record.SegmentSource;
import dev.blobshuffle.core.metrics.Counter;
import dev.blobshuffle.core.metrics.ShuffleMetrics;
import dev.blobshuffle.core.shuffle.Channel;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What happens to sealed batches: packed into blobs, encoded on a bounded number of workers and stored, or sent through the channel when that is cheaper.
 * Thread-safe. Every queued task holds bytes of the write budget, which bounds them.
 */
final class Uploads {
    static final long MILLIS_PER_GENERATION = 60_000;
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final int DELIVERY_THREADS = 2;
    private static final double RATIO_WEIGHT = 0.2;
    private static final double LEAST_RATIO = 0.01;

    /** Segments of a zone side by side, those of a partition together: readers own partitions. Stable, so a partition's segments keep the lanes' order. */
    private static final Comparator<Segment> BLOB_ORDER = Comparator.comparing(
                    (Segment segment) -> segment.zone().name())
            .thenComparing(
                    segment -> segment.partition(),
                    Comparator.comparing(Partition::topic).thenComparing(Partition::number));

    private final BlobStore store;
    private final BatcherOptions options;
    private final Time time;
    private final ShuffleMetrics metrics;
    private final Signal memoryReleased;
    private final Time.Workers encoding;
    private final Time.Workers delivery;
    private final @Nullable Fallback fallback;
    private final @Nullable Pacing pacing;
    private final Runnable whenOneEnds;
    private final long writer;
    private final AtomicLong sequence = new AtomicLong();
    private final Set<Upload> inFlight = ConcurrentHashMap.newKeySet();
    private final Deque<FrameEncoder> encoders = new ArrayDeque<>();
    private volatile double ratio = 1;
    private volatile boolean isClosed;

    /** @param whenOneEnds called, by any thread, when a blob is no longer in flight; must not block */
    Uploads(
            BlobStore store,
            BatcherOptions options,
            Time time,
            ShuffleMetrics metrics,
            long writer,
            Signal memoryReleased,
            Runnable whenOneEnds) {
        this.store = store;
        this.options = options;
        this.time = time;
        this.metrics = metrics;
        this.writer = writer;
        this.memoryReleased = memoryReleased;
        this.whenOneEnds = whenOneEnds;
        returnEncoder(
                new FrameEncoder(options.codec(), options.keys())); // Fails here when the codec's library is absent.
        encoding = time.workers("blobshuffle-encoder", options.workers());
        delivery = time.workers("blobshuffle-delivery", DELIVERY_THREADS);
        fallback = options.fallback().map(how -> new Fallback(how, time)).orElse(null);
        pacing = options.target()
                .map(target -> new Pacing(target, time, metrics))
                .orElse(null);
    }

    ShuffleMetrics metrics() {
        return metrics;
    }

    BlobStore store() {
        return store;
    }

    /** How old a batch may be when its notification is sent: the channel needs the rest of the time, and an upload that is in time is never too late. */
    Duration sendWithin(Channel channel) {
        Duration rest = options.notifyWithin().minus(channel.longestDelivery());
        return rest.compareTo(options.deliveryTimeout()) > 0 ? rest : options.deliveryTimeout();
    }

    /** Chooses how batches fill; null: the options do. */
    @Nullable
    Pacing pacing() {
        return pacing;
    }

    Signal memoryReleased() {
        return memoryReleased;
    }

    /** Stored bytes per appended byte, lately. */
    double ratio() {
        return ratio;
    }

    boolean isIdle() {
        return inFlight.isEmpty();
    }

    boolean isSaturated() {
        return inFlight.size() >= options.blobsInFlight();
    }

    /**
     * Takes over sealed segments, each of them in its queue.
     *
     * @param blobBytes the aim for the size of a blob
     */
    void dispatch(List<Segment> sealed, SealReason reason, long blobBytes) {
        long bytes = 0;
        long records = 0;
        for (Segment segment : sealed) {
            bytes += segment.bytes();
            records += segment.count();
        }
        metrics.add(Counter.RECORDS_APPENDED, records);
        metrics.add(Counter.BYTES_APPENDED, bytes);
        metrics.add(reason.counter(), 1);
        if (bytes < options.inlineBytes()) {
            inline(sealed);
        } else {
            upload(sealed, blobBytes);
        }
    }

    private void inline(List<Segment> sealed) {
        Set<DeliveryQueue> queues = new LinkedHashSet<>();
        for (Segment segment : sealed) {
            DeliveryQueue queue = segment.queue();
            if (queue.plain(segment, null)) {
                queue.due(segment);
                queues.add(queue);
            } else {
                segment.releasePlain();
            }
        }
        queues.forEach(DeliveryQueue::emitSoon);
    }

    private void upload(List<Segment> sealed, long blobBytes) {
        List<Segment> ordered = new ArrayList<>(sealed);
        ordered.sort(BLOB_ORDER);
        Map<Zone, List<Segment>> sections = new LinkedHashMap<>();
        Map<Zone, Long> sizes = new LinkedHashMap<>();
        double expected = ratio;
        for (Segment segment : ordered) {
            sections.computeIfAbsent(segment.zone(), zone -> new ArrayList<>()).add(segment);
            sizes.merge(segment.zone(), (long) (segment.bytes() * expected), Long::sum);
        }
        long generation = time.wallMillis() / MILLIS_PER_GENERATION;
        for (List<Zone> zones : Packing.pack(sizes, blobBytes, options.layout())) {
            List<Segment> segments = new ArrayList<>();
            zones.forEach(zone -> segments.addAll(sections.getOrDefault(zone, List.of())));
            BlobId id = new BlobId(generation, writer, sequence.getAndIncrement());
            start(new Upload(this, id, segments));
        }
    }

    private void start(Upload upload) {
        inFlight.add(upload);
        if (isClosed) {
            upload.abandon();
            return;
        }
        upload.arm(time, options.deliveryTimeout());
        try {
            execute(encoding, upload::encode);
        } catch (RuntimeException | Error e) {
            upload.refused(e); // Its lanes hear of it now, rather than when its time is over.
        }
    }

    /** Runs a task on a delivery thread: these may block in a channel. */
    void deliver(Runnable task) {
        execute(delivery, task);
    }

    private void execute(Time.Workers workers, Runnable task) {
        try {
            workers.execute(task);
        } catch (Closed e) {
            if (!isClosed) {
                throw e; // Otherwise close() has ended every queue and upload: there is nothing left to do for anybody.
            }
        }
    }

    FrameEncoder takeEncoder() {
        synchronized (encoders) {
            FrameEncoder encoder = encoders.pollFirst();
            return encoder == null ? new FrameEncoder(options.codec(), options.keys()) : encoder;
        }
    }

    void returnEncoder(FrameEncoder encoder) {
        synchronized (encoders) {
            if (isClosed) {
                encoder.close();
            } else {
                encoders.addFirst(encoder);
            }
        }
    }

    BlobLayout layOut(BlobId id, List<SegmentSource> segments) {
        return BlobLayout.of(id, store.fingerprint(), time.wallMillis(), segments);
    }

    synchronized void observeRatio(long rawBytes, long storedBytes) {
        double now = Math.min(1, Math.max(LEAST_RATIO, (double) storedBytes / rawBytes));
        double before = ratio;
        ratio = before + RATIO_WEIGHT * (now - before);
    }

    /**
     * Takes note of a blob that is durable.
     *
     * @param sealedNanos when its batch was sealed
     */
    void stored(long bytes, boolean needed, long sealedNanos) {
        Pacing adaptive = pacing;
        if (adaptive != null) {
            adaptive.stored(bytes, time.nanos() - sealedNanos);
        }
        if (needed) {
            metrics.add(Counter.BLOBS_STORED, 1);
            metrics.add(Counter.BLOB_BYTES_STORED, bytes);
        } else {
            metrics.add(Counter.BLOBS_ORPHANED, 1);
        }
        Fallback active = fallback;
        if (active != null) {
            active.stored(store.location());
        }
    }

    /** Takes note of a segment that the channel has. */
    void delivered(Segment segment, long nowNanos) {
        Pacing adaptive = pacing;
        if (adaptive != null) {
            adaptive.delivered(segment, nowNanos);
        }
    }

    void failed() {
        metrics.add(Counter.UPLOAD_FAILURES, 1);
    }

    /** What to do when the store fails for good; null: the lanes fail. */
    @Nullable
    Fallback fallback() {
        return fallback;
    }

    Fallback startFallback(Throwable cause) {
        Fallback active = fallback;
        if (active == null) {
            throw new IllegalStateException("Cannot fall back: it is not enabled.");
        }
        active.start(store.location(), cause);
        return active;
    }

    Time.Cancellable retryLater(Runnable task) {
        return time.schedule(RETRY, task);
    }

    void ended(Upload upload) {
        if (inFlight.remove(upload)) {
            whenOneEnds.run();
        }
    }

    /** Ends everything; the lanes' queues have ended before. Puts that the store goes on with keep their memory until the store lets go. */
    void close() {
        isClosed = true;
        encoding.close();
        delivery.close();
        if (pacing != null) {
            pacing.close();
        }
        inFlight.forEach(Upload::abandon);
        synchronized (encoders) {
            encoders.forEach(FrameEncoder::close);
            encoders.clear();
        }
    }
}
