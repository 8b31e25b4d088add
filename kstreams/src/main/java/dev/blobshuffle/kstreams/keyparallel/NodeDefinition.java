package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.kstreams.internal.calls.CallPlan;
import dev.blobshuffle.kstreams.internal.commit.CommitGate;
import dev.blobshuffle.kstreams.keyparallel.calls.Concurrency;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * The definition of a node that calls a slow function. Immutable, except for the threads, which its
 * tasks share.
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

    /** The first JDK with virtual threads. */
    private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

    /**
     * Settings for a changelog in which nearly every record is soon removed: restoration reads what
     * is not compacted yet.
     */
    private static final Map<String, String> CHANGELOG =
            Map.of("segment.bytes", String.valueOf(16 << 20), "min.cleanable.dirty.ratio", "0.1");

    NodeDefinition(
            KeyParallelOptions options, CallPlan.Batching batching, int maxBatch, NodeCall.Source<K, V> function) {
        this(options, batching, maxBatch, function, new CallThreads());
    }

    /** A copy with the options that the application's settings override. */
    NodeDefinition<K, V> in(ProcessingContext context) {
        return new NodeDefinition<>(
                NodeSettings.applied(options, context.appConfigs()), batching, maxBatch, function, threads);
    }

    String gate() {
        return options.name() + "-gate";
    }

    String pendingStore() {
        return options.name() + "-pending";
    }

    /**
     * The node's stores. Pending records are bounded and in memory anyway, so the store is in
     * memory too; its changelog keeps them.
     */
    Set<StoreBuilder<?>> stores() {
        StoreBuilder<CommitGate> gate = CommitGate.builder(gate());
        return options.commitMode() instanceof CommitMode.Checkpoint
                ? Set.of(
                        gate,
                        Stores.keyValueStoreBuilder(
                                        Stores.inMemoryKeyValueStore(pendingStore()), Serdes.Long(), Serdes.ByteArray())
                                .withLoggingEnabled(CHANGELOG)
                                .withCachingDisabled())
                : Set.of(gate);
    }

    /** The store of pending records, if commits do not wait. */
    @SuppressWarnings("unchecked") // The options say nothing of types.
    Optional<Checkpoint<K, V>> checkpoint(ProcessingContext context) {
        if (!(options.commitMode() instanceof CommitMode.Checkpoint mode)) {
            return Optional.empty();
        }
        KeyValueStore<Long, byte[]> store = context.getStateStore(pendingStore());
        String changelog = context.applicationId() + "-" + pendingStore() + "-changelog";
        return Optional.of(new Checkpoint<>(
                store, new ArrivalCodec<>(changelog, (Serde<K>) mode.keys(), (Serde<V>) mode.values())));
    }

    Concurrency concurrency() {
        return options.concurrency()
                .orElseGet(() -> Concurrency.fixed(
                        Runtime.version().feature() >= FIRST_WITH_VIRTUAL_THREADS
                                ? VIRTUAL_CALLS
                                : CALLS_PER_PROCESSOR * Runtime.getRuntime().availableProcessors()));
    }

    long maxProcessBytes() {
        return options.maxProcessBytes().map(ByteSize::bytes).orElseGet(ProcessBudget::standard);
    }

    CallPlan plan(TimeLimits limits) {
        return new CallPlan(
                options.ordering(),
                batching,
                maxBatch,
                concurrency(),
                options.maxPending(),
                options.maxPendingBytes().bytes(),
                limits.timeout(),
                options.retries(),
                options.commitMode() instanceof CommitMode.Checkpoint ? Optional.empty() : Optional.of(limits.drain()));
    }
}
