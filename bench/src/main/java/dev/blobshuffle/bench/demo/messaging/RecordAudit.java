package dev.blobshuffle.bench.demo.messaging;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Compares the records that arrived with those that were acknowledged, one by one. A record that
 * was sent and not acknowledged may have arrived or not. Owned by one thread.
 */
final class RecordAudit {
    private final Set<OrderRecord> arrived = new HashSet<>();
    private final Map<String, Long> newest = new HashMap<>();
    private long doubled;
    private long outOfOrder;

    /** Adds the next record, in the order of arrival. */
    void see(String publisher, long number) {
        OrderRecord found = new OrderRecord(publisher, number, 0);
        if (!arrived.add(found)) {
            doubled++;
            return;
        }
        Long before = newest.merge(found.key(), number, Math::max);
        if (before != number) {
            outOfOrder++;
        }
    }

    /** Different records that arrived. */
    long arrived() {
        return arrived.size();
    }

    /** Acknowledged records that did not arrive. */
    long lost(Set<OrderRecord> acknowledged) {
        return acknowledged.stream().filter(record -> !arrived.contains(record)).count();
    }

    /** Repeated arrivals of a record. */
    long doubled() {
        return doubled;
    }

    /** Records that arrived after a later one of their publisher and key. */
    long outOfOrder() {
        return outOfOrder;
    }
}
