package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.commit.CommitGate;
import java.time.Duration;
import java.util.Set;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.apache.kafka.streams.state.StoreBuilder;

/**
 * A node that calls a slow function. Immutable, but for the threads, which its tasks share.
 *
 * @param maxBatch the most records of a call
 */
record NodeDefinition<K, V>(
        KeyParallelOptions options,
        CallPlan.Batching batching,
        int maxBatch,
        NodeCall.Source<K, V> function,
        CallThreads threads) {
    private static final int VIRTUAL_CALLS = 256;
    private static final int CALLS_PER_PROCESSOR = 4;

    /** Virtual threads came with it. */
    private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

    private static final Duration DRAIN_TARGET = Duration.ofSeconds(2);

    NodeDefinition(
            KeyParallelOptions options, CallPlan.Batching batching, int maxBatch, NodeCall.Source<K, V> function) {
        this(options, batching, maxBatch, function, new CallThreads());
    }

    /** The same with what the application's settings say. */
    NodeDefinition<K, V> in(ProcessingContext context) {
        return new NodeDefinition<>(
                NodeSettings.applied(options, context.appConfigs()), batching, maxBatch, function, threads);
    }

    String gate() {
        return options.name() + "-gate";
    }

    Set<StoreBuilder<?>> stores() {
        return Set.of(CommitGate.builder(gate()));
    }

    int maxConcurrency() {
        return options.maxConcurrency()
                .orElseGet(() -> Runtime.version().feature() >= FIRST_WITH_VIRTUAL_THREADS
                        ? VIRTUAL_CALLS
                        : CALLS_PER_PROCESSOR * Runtime.getRuntime().availableProcessors());
    }

    CallPlan plan(TimeLimits limits) {
        Duration third = limits.drain().dividedBy(3);
        return new CallPlan(
                options.ordering(),
                batching,
                maxBatch,
                maxConcurrency(),
                options.maxPending(),
                options.maxPendingBytes().bytes(),
                limits.timeout(),
                options.retries(),
                third.compareTo(DRAIN_TARGET) < 0 ? third : DRAIN_TARGET);
    }
}
