package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.core.time.ForwardingTime;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;

/**
 * A clock for the waits of nodes that a test can move forward. Commit deadlines then pass at once.
 * Timers, and with them the timeouts of calls, keep the real time. Thread-safe.
 */
final class JumpingClock {
    private final AtomicLong aheadNanos = new AtomicLong();

    /** Moves the clock forward. */
    void jump(Duration time) {
        aheadNanos.addAndGet(time.toNanos());
    }

    /** The same function, in nodes that use this clock. */
    <K, V, R> FixedKeyProcessorSupplier<K, V, R> of(FixedKeyProcessorSupplier<K, V, R> supplier) {
        NodeDefinition<K, V> usual = ((ParallelValuesSupplier<K, V, R>) supplier).definition();
        return new ParallelValuesSupplier<>(new NodeDefinition<>(
                usual.options(), usual.batching(), usual.maxBatch(), usual.function(), new CallThreads(Ahead::new)));
    }

    private final class Ahead extends ForwardingTime {
        private Ahead(Time machine) {
            super(machine);
        }

        @Override
        public long nanos() {
            return super.nanos() + aheadNanos.get();
        }

        @Override
        public Signal signal() {
            return new AheadSignal(super.signal());
        }
    }

    private final class AheadSignal implements Signal {
        private final Signal machine;

        private AheadSignal(Signal machine) {
            this.machine = machine;
        }

        @Override
        public long count() {
            return machine.count();
        }

        @Override
        public void raise() {
            machine.raise();
        }

        @Override
        public boolean await(long seen, long deadlineNanos) throws InterruptedException {
            return machine.await(seen, deadlineNanos - aheadNanos.get());
        }
    }
}
