package dev.blobshuffle.core.internal.write.upload;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.internal.format.record.FrameEncoder;
import dev.blobshuffle.core.internal.format.record.SegmentSource;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.write.deliver.DeliveryQueue;
import dev.blobshuffle.core.internal.write.deliver.Segment;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
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
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Uploads sealed batches. It packs their sections into blobs, encodes these on a bounded number of
 * workers and stores them, or inlines a batch if that is cheaper. Thread-safe. Every queued task
 * holds bytes of the write budget, so the budget bounds the queue.
 */
public final class Uploads implements AutoCloseable {
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final double RATIO_WEIGHT = 0.2;
    private static final double LEAST_RATIO = 0.01;

    /**
     * Keeps the segments of a zone adjacent, and those of a partition together, because a reader
     * owns whole partitions. The sort is stable, so a partition's segments keep the lanes' order.
     */
    private static final Comparator<Segment> BLOB_ORDER = Comparator.comparing(
                    (Segment segment) -> segment.zone().name())
            .thenComparing(
                    segment -> segment.partition(),
                    Comparator.comparing(Partition::stream).thenComparing(Partition::number));

    private final BlobStore store;
    private final BlobSink sink;
    private final BatcherOptions options;
    private final Time time;
    private final ShuffleMetrics metrics;
    private final Time.Workers encoding;
    private final @Nullable Fallback fallback;
    private final UploadObserver observer;
    private final long writer;
    private final AtomicLong sequence = new AtomicLong();
    private final Set<Upload> inFlight = ConcurrentHashMap.newKeySet();
    private final Deque<FrameEncoder> encoders = new ArrayDeque<>();
    private volatile double ratio = 1;
    private volatile boolean isClosed;

    /**
     * The uploads of one Batcher.
     *
     * @param sink stores the blobs in the store, or through another member
     * @param writer the writer in the ids of its blobs
     */
    public Uploads(
            BlobStore store,
            BlobSink sink,
            BatcherOptions options,
            Time time,
            ShuffleMetrics metrics,
            long writer,
            UploadObserver observer) {
        this.store = store;
        this.sink = sink;
        this.options = options;
        this.time = time;
        this.metrics = metrics;
        this.writer = writer;
        this.observer = observer;
        returnEncoder(new FrameEncoder(options.codec(), options.keys())); // Fails if the codec's library is absent.
        encoding = time.workers("blobshuffle-encoder", options.workers());
        fallback = options.fallback().map(how -> new Fallback(how, time)).orElse(null);
    }

    BlobStore store() {
        return store;
    }

    BlobSink sink() {
        return sink;
    }

    /** Recent average of stored bytes per appended byte. */
    public double ratio() {
        return ratio;
    }

    /** Whether no blob is in flight. */
    public boolean isIdle() {
        return inFlight.isEmpty();
    }

    /** Whether so many blobs are in flight that the delay should not seal another batch. */
    public boolean isSaturated() {
        return inFlight.size() >= options.blobsInFlight();
    }

    /**
     * Takes over sealed segments. Each of them is already in its delivery queue.
     *
     * @param blobBytes the target size of a blob
     */
    public void dispatch(List<Segment> sealed, long blobBytes) {
        long bytes = 0;
        long records = 0;
        for (Segment segment : sealed) {
            bytes += segment.bytes();
            records += segment.count();
        }
        metrics.add(Counter.RECORDS_APPENDED, records);
        metrics.add(Counter.BYTES_APPENDED, bytes);
        if (sink.inlines(bytes, options.inlineBytes())) {
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
        long generation = time.wallMillis() / BlobId.MILLIS_PER_GENERATION;
        for (List<Zone> zones : Packing.pack(sizes, blobBytes, options.layout())) {
            List<Segment> segments = new ArrayList<>();
            zones.forEach(zone -> segments.addAll(sections.getOrDefault(zone, List.of())));
            start(new Upload(this, segments), generation);
        }
    }

    private void start(Upload upload, long generation) {
        inFlight.add(upload);
        if (isClosed) {
            upload.abandon();
            return;
        }
        upload.arm(time, options.deliveryTimeout());
        name(upload, generation);
    }

    /**
     * Sets the blob's id once the owner is known, and encodes the blob. The upload's deadline
     * limits the wait.
     */
    private void name(Upload upload, long generation) {
        var ignored = store.owner().whenComplete((owner, failure) -> {
            if (failure == null) {
                upload.name(new BlobId(owner, generation, writer, sequence.getAndIncrement()));
                encodeLater(upload);
            } else if (cause(failure) instanceof StoreUnavailableException cause) {
                if (upload.waits(cause)) {
                    name(upload, generation);
                }
            } else {
                upload.refused(cause(failure));
            }
        });
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
        return cause == null ? failure : cause;
    }

    private void encodeLater(Upload upload) {
        try {
            execute(upload::encode);
        } catch (RuntimeException | Error e) {
            upload.refused(e); // Fail its lanes now, not at the deadline.
        }
    }

    private void execute(Runnable task) {
        try {
            encoding.execute(task);
        } catch (ClosedException e) {
            if (!isClosed) {
                throw e; // Otherwise close() has ended every queue and upload, and no work is left.
            }
        }
    }

    FrameEncoder takeEncoder() {
        options.keys().refresh(time);
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
     * Records a blob that readers find.
     *
     * @param sealedNanos when its batch was sealed
     */
    void readable(long bytes, long sealedNanos) {
        observer.stored(bytes, time.nanos() - sealedNanos);
    }

    /** Records a blob that readers found before it was durable. */
    void early() {
        metrics.add(Counter.BLOBS_ANNOUNCED_EARLY, 1);
    }

    /**
     * Records segments that are durable. A blob that a hub stored is counted by the hub.
     *
     * @param layout the blob that was laid out for them
     * @param place the blob that holds them
     */
    void stored(BlobLayout layout, BlobId place, boolean needed) {
        if (needed) {
            metrics.add(Counter.BLOB_BYTES_STORED, layout.length());
        }
        if (place.equals(layout.id())) {
            metrics.add(needed ? Counter.BLOBS_STORED : Counter.BLOBS_ORPHANED, 1);
        }
        Fallback active = fallback;
        if (active != null) {
            active.stored(store.location());
        }
    }

    void failed() {
        metrics.add(Counter.UPLOAD_FAILURES, 1);
    }

    /** The fallback if the store fails for good; null: the lanes fail. */
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
            observer.ended();
        }
    }

    /**
     * Ends everything. Called after the lanes' queues have ended. Puts that still run keep their
     * memory until the store releases it.
     */
    @Override
    public void close() {
        isClosed = true;
        encoding.close();
        inFlight.forEach(Upload::abandon);
        synchronized (encoders) {
            encoders.forEach(FrameEncoder::close);
            encoders.clear();
        }
    }
}
