package dev.blobshuffle.core.metrics;

import dev.blobshuffle.core.metrics.Metric.Kind;
import dev.blobshuffle.core.metrics.Metric.Unit;
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
 * The bytes of blobs that an instance moved, by where from and where to: counted by the instance that wrote them to the store, in each attempt, or that got them. Between zones there should be none
 * but through the store, and that is counted and not taken for granted: by the zone that the member who was asked says it is in. Counting takes no lock. Thread-safe.
 */
public final class PayloadFlows {
    /** How it is published, once for each flow. */
    public static final Metric METRIC = new Metric(
            "payload-bytes",
            Kind.COUNTER,
            Unit.BYTES,
            "Bytes of blobs that this instance wrote or received, by source and destination: a zone or "
                    + "the store.");

    /** Zones come from the words of others. */
    private static final int MOST = 64;

    /** Where the zones beyond are put. */
    private static final String OTHERS = "others";

    private final Map<Flow, LongAdder> counted = new ConcurrentHashMap<>();

    /** Read without the lock, which is held while watchers are told: what they call may wait for somebody who reads. */
    private final Map<Flow, LongSupplier> shown = new ConcurrentSkipListMap<>();

    /** Guarded by this. */
    private final List<Consumer<Flow>> watchers = new ArrayList<>();

    PayloadFlows() {}

    /** Shows a flow that somebody else counts, unless it is shown. */
    public synchronized void show(Flow flow, LongSupplier bytes) {
        if (shown.putIfAbsent(flow, bytes) == null) {
            watchers.forEach(watcher -> watcher.accept(flow));
        }
    }

    /** Shows a flow before there is anything in it. */
    public void show(Flow flow) {
        adder(flow);
    }

    /** Counts bytes that came. */
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
     * Tells of every flow, those that are shown already first, until the registration ends.
     *
     * @param watcher must not block
     */
    public synchronized ShuffleMetrics.Registration watch(Consumer<Flow> watcher) {
        Consumer<Flow> own = watcher::accept; // So that ending one registration never ends another of the same watcher.
        shown.keySet().forEach(own);
        watchers.add(own);
        return () -> forget(own);
    }

    private synchronized void forget(Consumer<Flow> watcher) {
        watchers.remove(watcher);
    }
}
