package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.jspecify.annotations.Nullable;

/**
 * A pool of a processor's instances, each used by one call at a time. As natively, a processor may
 * keep state in its fields, as long as it does not expect to see every record. Instances are made
 * on demand, so there are at most as many as concurrent calls. Thread-safe: guarded by itself.
 */
final class PooledProcessors<K, V, L, R> implements NodeCall<K, V> {
    private final ProcessorSupplier<K, V, L, R> supplier;
    private final ProcessingContext context;
    private final Deque<Instance<K, V, L, R>> idle = new ArrayDeque<>();
    private boolean isClosed;

    PooledProcessors(ProcessorSupplier<K, V, L, R> supplier, ProcessingContext context) {
        if (supplier.stores() != null && !supplier.stores().isEmpty()) {
            throw RecordingContext.refused("a processor with state stores");
        }
        this.supplier = supplier;
        this.context = context;
        // Made here, so that an unsupported processor fails when the application starts.
        idle.add(made());
    }

    private Instance<K, V, L, R> made() {
        RecordingContext<L, R> recording = new RecordingContext<>(context);
        Processor<K, V, L, R> processor = supplier.get();
        processor.init(recording);
        return new Instance<>(processor, recording);
    }

    @Override
    public void start(List<Arrival<K, V>> arrivals, Completion<Results> completion) {
        Instance<K, V, L, R> instance = take();
        try {
            List<Record<?, ?>> results = new ArrayList<>();
            instance.context.begin(arrivals.get(0).origin(), results);
            instance.processor.process(arrivals.get(0).forFunction());
            completion.complete(List.of(Outcome.of(() -> results)));
        } finally {
            giveBack(instance);
        }
    }

    private Instance<K, V, L, R> take() {
        Instance<K, V, L, R> free = poll();
        return free == null ? made() : free;
    }

    private synchronized @Nullable Instance<K, V, L, R> poll() {
        return idle.poll();
    }

    private void giveBack(Instance<K, V, L, R> instance) {
        synchronized (this) {
            if (!isClosed) {
                idle.push(instance);
                return;
            }
        }
        instance.processor.close();
    }

    @Override
    public void close() {
        List<Instance<K, V, L, R>> left;
        synchronized (this) {
            isClosed = true;
            left = new ArrayList<>(idle);
            idle.clear();
        }
        left.forEach(instance -> instance.processor.close());
    }

    /** A processor and its context. */
    private record Instance<K, V, L, R>(Processor<K, V, L, R> processor, RecordingContext<L, R> context) {}
}
