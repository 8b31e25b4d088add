package dev.blobshuffle.core.internal.metrics;

import dev.blobshuffle.core.internal.metrics.Metric.Kind;
import dev.blobshuffle.core.internal.metrics.Metric.Unit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The bytes of blobs that an instance moved, by source and destination. Writes to the store are
 * counted by the writer, per attempt; all others by the receiver. No bytes should cross zones
 * except through the store, and the counters verify this by the zones that members announce.
 * Counting takes no lock. Thread-safe.
 */
public final class PayloadFlows {
    /** The published metric, once per flow. */
    public static final Metric METRIC = new Metric(
            "payload-bytes",
            Kind.COUNTER,
            Unit.BYTES,
            "Bytes of blobs that this instance wrote or received, by source and destination: a zone or "
                    + "the store.");

    /** Bounds the flows, because other members announce the names of zones. */
    private static final int MOST = 64;

    /** The name of all zones beyond the bound. */
    private static final String OTHERS = "others";

    private final Map<Flow, LongAdder> counted = new ConcurrentHashMap<>();

    /**
     * Read without the lock. The lock is held while watchers run, and they may call code that waits
     * for a reader.
     */
    private final Map<Flow, LongSupplier> shown = new ConcurrentSkipListMap<>();

    /** Guarded by this. */
    private final List<Consumer<Flow>> watchers = new ArrayList<>();

    PayloadFlows() {}

    /** Shows a flow that another component counts, unless it is already shown. */
    public synchronized void show(Flow flow, LongSupplier bytes) {
        if (shown.putIfAbsent(flow, bytes) == null) {
            watchers.forEach(watcher -> watcher.accept(flow));
        }
    }

    /** Shows a flow with 0 bytes. */
    public void show(Flow flow) {
        adder(flow);
    }

    /** Adds bytes to a flow. */
    public void add(Flow flow, long bytes) {
        adder(flow).add(bytes);
    }

    private LongAdder adder(Flow flow) {
        LongAdder known = counted.get(flow);
        return known == null ? begin(flow) : known;
    }

    private synchronized LongAdder begin(Flow flow) {
        Flow bounded = counted.size() < MOST || counted.containsKey(flow) ? flow : new Flow(OTHERS, flow.to());
        LongAdder adder = counted.computeIfAbsent(bounded, unknown -> new LongAdder());
        show(bounded, adder::sum);
        return adder;
    }

    /** All flows and their bytes so far, in order. */
    public SortedMap<Flow, Long> values() {
        SortedMap<Flow, Long> values = new TreeMap<>();
        shown.forEach((flow, bytes) -> values.put(flow, bytes.getAsLong()));
        return Collections.unmodifiableSortedMap(values);
    }

    /** The bytes of a flow so far; 0 if it is not shown. */
    public long value(Flow flow) {
        LongSupplier bytes = shown.get(flow);
        return bytes == null ? 0 : bytes.getAsLong();
    }

    /**
     * Passes every flow to a watcher until the registration ends, starting with those already
     * shown.
     *
     * @param watcher must not block
     */
    public synchronized ShuffleMetrics.Registration watch(Consumer<Flow> watcher) {
        // A new object, so that the end of one registration does not end another one of the same
        // watcher.
        Consumer<Flow> own = watcher::accept;
        shown.keySet().forEach(own);
        watchers.add(own);
        return () -> forget(own);
    }

    private synchronized void forget(Consumer<Flow> watcher) {
        watchers.remove(watcher);
    }
}
