package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.internal.calls.CallPlan;
import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import dev.blobshuffle.kstreams.keyparallel.calls.Outcome;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Slow functions for Kafka Streams, called for many records of a partition at once. In place of
 * {@code stream.mapValues(…)}, whose one slow call stops its partition:
 *
 * <pre>{@code
 * stream.processValues(KeyParallel.mapValues((key, value) -> service.lookup(value), KeyParallelOptions.named("lookup")))
 * }</pre>
 *
 * Records of a key keep their order, and keys go on side by side; other orders: {@link Ordering}.
 * Guarantees stay those of Kafka Streams: a commit waits until the results of all that it covers
 * are handed on and sent, so that nothing is lost, and under exactly-once nothing doubled, whenever
 * a process dies. The function itself is called at least once for each record, as it is natively.
 *
 * <p>Functions are called by several threads at once and must be thread-safe. They see keys and
 * values, and use no state stores, but for {@link #staged}; results go downstream on the stream
 * thread, where every store can be used. Works with any Kafka Streams application, with or without
 * a shuffle through blobs. Stateless.
 */
public final class KeyParallel {
    private KeyParallel() {}

    /** A function that blocks until it has its result. */
    @FunctionalInterface
    public interface ValueFunction<K, V, R> {
        /** The new value. Interrupted when it takes too long, or when it is no longer needed. */
        R apply(K key, V value) throws Exception;
    }

    /** A function that promises its result. */
    @FunctionalInterface
    public interface AsyncValueFunction<K, V, R> {
        /** Begins, on a thread of ours, and should not block. */
        CompletionStage<R> apply(K key, V value) throws Exception;
    }

    /** A function that makes any number of records of one. */
    @FunctionalInterface
    public interface FlatMapFunction<K, V, L, R> {
        /**
         * Makes records, in their order; they go downstream when the function has returned, and not
         * if it throws.
         */
        void apply(Record<K, V> record, Consumer<Record<L, R>> output) throws Exception;
    }

    /** A function over records of one key that have come together. */
    @FunctionalInterface
    public interface BatchFunction<K, V, R> {
        /**
         * The results, one for each value, in their order; those that failed are repeated alone,
         * and their key waits.
         */
        List<Outcome<R>> apply(K key, List<V> values) throws Exception;
    }

    /** A function over records of any keys that have come together. */
    @FunctionalInterface
    public interface BulkFunction<K, V, R> {
        /**
         * The results, one for each entry, in their order; those that failed are repeated alone,
         * and their keys wait.
         */
        List<Outcome<R>> apply(List<KeyValue<K, V>> entries) throws Exception;
    }

    /** The step of a staged function before the call, on the stream thread. */
    @FunctionalInterface
    public interface Prepare<K, V, Q, L, R> {
        /**
         * The request; absent if the record needs no call: what was forwarded is all that becomes
         * of it then.
         */
        Optional<Q> apply(Record<K, V> record, Stage<L, R> stage) throws Exception;
    }

    /** The slow step of a staged function. */
    @FunctionalInterface
    public interface Request<Q, A> {
        /**
         * Makes the call; blocks until the answer is there. Called by many threads, and without
         * access to stores.
         */
        A apply(Q request) throws Exception;
    }

    /** The step of a staged function after the call, on the stream thread. */
    @FunctionalInterface
    public interface Complete<K, V, A, L, R> {
        /** Writes to stores, and forwards. */
        void apply(Record<K, V> record, A answer, Stage<L, R> stage) throws Exception;
    }

    /** What the steps of a staged function on the stream thread may use, while they run. */
    public interface Stage<L, R> {
        /**
         * A state store of the node.
         *
         * @throws RuntimeException fatal: the node has none of this name
         */
        <S extends StateStore> S store(String name);

        /** Hands a record on when the step has returned, and the record's turn has come. */
        void forward(Record<L, R> record);
    }

    /** New values by a function that blocks: for {@code processValues}. */
    public static <K, V, R> FixedKeyProcessorSupplier<K, V, R> mapValues(
            ValueFunction<K, V, R> function, KeyParallelOptions options) {
        return values(options, CallPlan.Batching.NONE, 1, Functions.blocking(function));
    }

    /** New values by a function that promises them: for {@code processValues}. */
    public static <K, V, R> FixedKeyProcessorSupplier<K, V, R> mapValuesAsync(
            AsyncValueFunction<K, V, R> function, KeyParallelOptions options) {
        return values(options, CallPlan.Batching.NONE, 1, Functions.async(function));
    }

    /**
     * New values by a function over several records of a key: for {@code processValues}. While a
     * call is under way, the key's next records come together, and go into its next call: the
     * batches find their size by themselves, and no record waits for others.
     *
     * @param maxBatch the most records of a call
     */
    public static <K, V, R> FixedKeyProcessorSupplier<K, V, R> batchByKey(
            BatchFunction<K, V, R> function, int maxBatch, KeyParallelOptions options) {
        return values(options, CallPlan.Batching.SAME_KEY, checked(maxBatch), Functions.byKey(function));
    }

    /**
     * New values by a function over several records: for {@code processValues}. A call takes all
     * records that may start when it does.
     *
     * @param maxBatch the most records of a call
     */
    public static <K, V, R> FixedKeyProcessorSupplier<K, V, R> bulk(
            BulkFunction<K, V, R> function, int maxBatch, KeyParallelOptions options) {
        return values(options, CallPlan.Batching.ANY_KEY, checked(maxBatch), Functions.bulk(function));
    }

    /** Records, with any key, by a function that blocks: for {@code process}. */
    public static <K, V, L, R> ProcessorSupplier<K, V, L, R> flatMap(
            FlatMapFunction<K, V, L, R> function, KeyParallelOptions options) {
        NodeCall<K, V> call = Functions.flatMap(function);
        return new ParallelSupplier<>(new NodeDefinition<>(options, CallPlan.Batching.NONE, 1, context -> call));
    }

    /**
     * A processor that exists, unchanged: for {@code process}. Each call has an instance of it for
     * itself; its forwards go downstream when its {@code process} has returned. It may use neither
     * state stores nor punctuators, and is told so in its {@code init}; what needs stores is for
     * {@link #staged}.
     */
    public static <K, V, L, R> ProcessorSupplier<K, V, L, R> supplier(
            ProcessorSupplier<K, V, L, R> existing, KeyParallelOptions options) {
        return new ParallelSupplier<>(new NodeDefinition<>(
                options, CallPlan.Batching.NONE, 1, context -> new PooledProcessors<>(existing, context)));
    }

    /** The same for a processor that keeps keys: for {@code processValues}. */
    public static <K, V, R> FixedKeyProcessorSupplier<K, V, R> valuesSupplier(
            FixedKeyProcessorSupplier<K, V, R> existing, KeyParallelOptions options) {
        return new ParallelValuesSupplier<>(new NodeDefinition<>(
                options,
                CallPlan.Batching.NONE,
                1,
                context -> new PooledProcessors<>(new KeepingKeys<>(existing), context)));
    }

    /**
     * A function in three steps, of which the first and the last use state stores: for
     * {@code process}, with the names of the stores. Both run on the stream thread, with any store
     * and its cache; the call in the middle runs elsewhere. With {@link Ordering#KEY}, a record is
     * prepared when the record before it of its key is complete: it sees what that one wrote.
     *
     * <pre>{@code
     * stream.process(
     *         KeyParallel.staged(
     *                 (record, stage) -> Optional.of(stage.<KeyValueStore<String, Long>>store("visits").get(record.key())),
     *                 visits -> service.rate(visits),
     *                 (record, rate, stage) -> {
     *                     stage.<KeyValueStore<String, Long>>store("rates").put(record.key(), rate);
     *                     stage.forward(record.withValue(rate));
     *                 },
     *                 KeyParallelOptions.named("rate")),
     *         "visits", "rates");
     * }</pre>
     *
     * @param prepare makes the request; it should only read: what is pending at a commit that does
     *     not wait is prepared again after a restart
     */
    public static <K, V, Q, A, L, R> ProcessorSupplier<K, V, L, R> staged(
            Prepare<K, V, Q, L, R> prepare,
            Request<Q, A> request,
            Complete<K, V, A, L, R> complete,
            KeyParallelOptions options) {
        return new ParallelSupplier<>(new NodeDefinition<>(
                options, CallPlan.Batching.NONE, 1, context -> new StagedCall<>(prepare, request, complete, context)));
    }

    private static <K, V, R> FixedKeyProcessorSupplier<K, V, R> values(
            KeyParallelOptions options, CallPlan.Batching batching, int maxBatch, NodeCall<K, V> call) {
        return new ParallelValuesSupplier<>(new NodeDefinition<>(options, batching, maxBatch, context -> call));
    }

    private static int checked(int maxBatch) {
        if (maxBatch < 1) {
            throw new IllegalArgumentException(
                    "Cannot call a function for batches of " + maxBatch + " records. Give 1 or more.");
        }
        return maxBatch;
    }
}
