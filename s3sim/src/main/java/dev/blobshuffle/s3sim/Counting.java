package dev.blobshuffle.s3sim;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/** Counts the requests of a bucket or of the server. Thread-safe. */
final class Counting {
    private final Map<Operation, LongAdder> requests = counters();
    private final Map<Operation, LongAdder> failures = counters();
    private final LongAdder bytesIn = new LongAdder();
    private final LongAdder bytesOut = new LongAdder();

    private final Optional<Counting> whole;

    /**
     * Counts from zero.
     *
     * @param whole also counts the requests; empty: this is the server's counting
     */
    Counting(Optional<Counting> whole) {
        this.whole = whole;
    }

    private static Map<Operation, LongAdder> counters() {
        Map<Operation, LongAdder> counters = new EnumMap<>(Operation.class);
        for (Operation operation : Operation.values()) {
            counters.put(operation, new LongAdder());
        }
        return counters;
    }

    void request(Operation operation) {
        add(requests, operation);
        whole.ifPresent(counting -> counting.request(operation));
    }

    void failure(Operation operation) {
        add(failures, operation);
        whole.ifPresent(counting -> counting.failure(operation));
    }

    private static void add(Map<Operation, LongAdder> counters, Operation operation) {
        LongAdder counter = counters.get(operation);
        if (counter != null) {
            counter.increment();
        }
    }

    void received(long bytes) {
        bytesIn.add(bytes);
        whole.ifPresent(counting -> counting.received(bytes));
    }

    void sent(long bytes) {
        bytesOut.add(bytes);
        whole.ifPresent(counting -> counting.sent(bytes));
    }

    RequestCounts counts() {
        return new RequestCounts(sums(requests), sums(failures), bytesIn.sum(), bytesOut.sum());
    }

    private static Map<Operation, Long> sums(Map<Operation, LongAdder> counters) {
        Map<Operation, Long> sums = new EnumMap<>(Operation.class);
        counters.forEach((operation, counter) -> {
            if (counter.sum() > 0) {
                sums.put(operation, counter.sum());
            }
        });
        return sums;
    }
}
