package dev.blobshuffle.bench.messaging;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The records that the consumers of one group in one process have received: their number, the sum
 * of their seals, and the numbers of damaged records and of records out of order per key.
 * Thread-safe.
 */
final class GroupCheck {
    private final int messageSize;
    private final long[][] last; // guarded by this, as all below
    private long count;
    private long sum;
    private long wrong;

    GroupCheck(Workload workload) {
        messageSize = workload.messageSize();
        last = new long[workload.allProducers()][Payload.KEYS];
        for (long[] numbers : last) {
            Arrays.fill(numbers, -1);
        }
    }

    /** Checks a received record. */
    synchronized void receive(ByteBuffer value) {
        count++;
        if (!Payload.isWhole(value, messageSize) || Payload.producer(value) >= last.length) {
            wrong++;
            return;
        }
        long number = Payload.number(value);
        long[] keys = last[Payload.producer(value)];
        int key = (int) (number % Payload.KEYS);
        if (number <= keys[key]) {
            wrong++;
        }
        keys[key] = number;
        sum += Payload.seal(number, Payload.producer(value));
    }

    synchronized long count() {
        return count;
    }

    synchronized long sum() {
        return sum;
    }

    synchronized long wrong() {
        return wrong;
    }
}
