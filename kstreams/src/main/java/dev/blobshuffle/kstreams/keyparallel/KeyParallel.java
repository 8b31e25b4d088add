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
 * Calls slow functions in Kafka Streams for many records of a partition concurrently. It replaces
 * {@code stream.mapValues(…)}, in which one slow call stops its partition:
 *
 * <pre>{@code
 * stream.processValues(KeyParallel.mapValues((key, value) -> service.lookup(value), KeyParallelOptions.named("lookup")))
 * }</pre>
 *
 * Records of a key keep their order, and different keys run concurrently. {@link Ordering} lists
 * other orders. Guarantees stay those of Kafka Streams: a commit waits until the results of all its
 * records are handed on and sent. So a crash loses nothing, and under exactly-once it duplicates
 * nothing. The function itself is called at least once for each record, as in native Kafka Streams.
 *
 * <p>Several threads call a function concurrently, so it must be thread-safe. It gets keys and
 * values, but no state stores, except for {@link #staged}. Results go downstream on the stream
 * thread, where nodes can use every store. Works with any Kafka Streams application, with or
 * without a shuffle through blobs. Stateless.
 */
public final class KeyParallel {
    private KeyParallel() {}

    /** A function that blocks until it has its result. */
    @FunctionalInterface
    public interface ValueFunction<K, V, R> {
        /**
         * Returns the new value. Interrupted after its timeout, or if its result is no longer
         * needed.
         */
        R apply(K key, V value) throws Exception;
    }

    /** A function that returns a promise of its result. */
    @FunctionalInterface
    public interface AsyncValueFunction<K, V, R> {
        /** Starts the work on a call thread; it should not block. */
        CompletionStage<R> apply(K key, V value) throws Exception;
    }

    /** A function that makes any number of records from one. */
    @FunctionalInterface
    public interface FlatMapFunction<K, V, L, R> {
        /**
         * Makes records, in order. They go downstream after the function has returned, but not if
         * it throws.
         */
        void apply(Record<K, V> record, Consumer<Record<L, R>> output) throws Exception;
    }

    /** A function of several records of one key. */
    @FunctionalInterface
    public interface BatchFunction<K, V, R> {
        /**
         * Returns one result for each value, in the same order. Failed values are retried one by
         * one, and their key waits.
         */
        List<Outcome<R>> apply(K key, List<V> values) throws Exception;
    }

    /** A function of several records of any keys. */
    @FunctionalInterface
    public interface BulkFunction<K, V, R> {
        /**
         * Returns one result for each entry, in the same order. Failed entries are retried one by
         * one, and their keys wait.
         */
        List<Outcome<R>> apply(List<KeyValue<K, V>> entries) throws Exception;
    }

    /** The step of a staged function before its call, on the stream thread. */
    @FunctionalInterface
    public interface Prepare<K, V, Q, L, R> {
        /**
         * Returns the request, or empty if the record needs no call; then its only results are the
         * records forwarded here.
         */
        Optional<Q> apply(Record<K, V> record, Stage<L, R> stage) throws Exception;
    }

    /** The slow step of a staged function. */
    @FunctionalInterface
    public interface Request<Q, A> {
        /**
         * Makes the call, and blocks until the answer arrives. Many threads call it; it has no
         * access to stores.
         */
        A apply(Q request) throws Exception;
    }

    /** The step of a staged function after its call, on the stream thread. */
    @FunctionalInterface
    public interface Complete<K, V, A, L, R> {
        /** Writes to stores, and forwards records. */
        void apply(Record<K, V> record, A answer, Stage<L, R> stage) throws Exception;
    }

    /** The context of a step on the stream thread. Valid while the step runs. */
    public interface Stage<L, R> {
        /**
         * A state store of the node.
         *
         * @throws RuntimeException fatal: the node has no store of this name
         */
        <S extends StateStore> S store(String name);

        /** Hands a record on, after the step has returned and the record's turn has come. */
        void forward(Record<L, R> record);
    }

    /** New values from a function that blocks: for {@code processValues}. */
    public static <K, V, R> FixedKeyProcessorSupplier<K, V, R> mapValues(
            ValueFunction<K, V, R> function, KeyParallelOptions options) {
        return values(options, CallPlan.Batching.NONE, 1, Functions.blocking(function));
    }

    /** New values from a function that returns promises: for {@code processValues}. */
    public static <K, V, R> FixedKeyProcessorSupplier<K, V, R> mapValuesAsync(
            AsyncValueFunction<K, V, R> function, KeyParallelOptions options) {
        return values(options, CallPlan.Batching.NONE, 1, Functions.async(function));
    }

    /**
     * New values from a function of several records of a key: for {@code processValues}. While a
     * call runs, the key's next records collect and go into its next call. So batches adapt in
     * size, and no record waits for others.
     *
     * @param maxBatch the most records of a call
     */
    public static <K, V, R> FixedKeyProcessorSupplier<K, V, R> batchByKey(
            BatchFunction<K, V, R> function, int maxBatch, KeyParallelOptions options) {
        return values(options, CallPlan.Batching.SAME_KEY, checked(maxBatch), Functions.byKey(function));
    }

    /**
     * New values from a function of several records: for {@code processValues}. A call takes all
     * records that may start when it does.
     *
     * @param maxBatch the most records of a call
     */
    public static <K, V, R> FixedKeyProcessorSupplier<K, V, R> bulk(
            BulkFunction<K, V, R> function, int maxBatch, KeyParallelOptions options) {
        return values(options, CallPlan.Batching.ANY_KEY, checked(maxBatch), Functions.bulk(function));
    }

    /** Records with any key from a function that blocks: for {@code process}. */
    public static <K, V, L, R> ProcessorSupplier<K, V, L, R> flatMap(
            FlatMapFunction<K, V, L, R> function, KeyParallelOptions options) {
        NodeCall<K, V> call = Functions.flatMap(function);
        return new ParallelSupplier<>(new NodeDefinition<>(options, CallPlan.Batching.NONE, 1, context -> call));
    }

    /**
     * An existing processor, unchanged: for {@code process}. Each call has its own instance; the
     * forwarded records go downstream after {@code process} has returned. It can use neither state
     * stores nor punctuators: its {@code init} then gets an exception. Use {@link #staged} for a
     * function that needs stores.
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
     * A function of three steps, of which the first and the last may use state stores: for
     * {@code process}, with the names of the stores. Both run on the stream thread, with any store
     * and its cache. The call between them runs on another thread. With {@link Ordering#KEY}, a
     * record is prepared after the previous record of its key is complete, so it sees what that
     * record wrote.
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
     * @param prepare makes the request. It should only read: a record that is pending at a commit
     *     that does not wait is prepared again after a restart.
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
