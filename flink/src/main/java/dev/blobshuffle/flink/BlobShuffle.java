package dev.blobshuffle.flink;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.settings.ZoneSettings;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flink.internal.KeyGroups;
import dev.blobshuffle.flink.internal.Neighbours;
import dev.blobshuffle.flink.internal.Senders;
import dev.blobshuffle.flink.internal.ShufflePlan;
import dev.blobshuffle.flink.internal.batch.BatcherFactory;
import dev.blobshuffle.flink.internal.debatch.DebatcherFactory;
import dev.blobshuffle.flink.internal.reference.Reference;
import dev.blobshuffle.flink.internal.reference.ReferenceType;
import dev.blobshuffle.flink.internal.route.RoutingKeys;
import dev.blobshuffle.flink.internal.settings.FlinkSettings;
import dev.blobshuffle.flink.internal.settings.StorePlace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.typeutils.TypeExtractor;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamUtils;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;
import org.apache.flink.streaming.api.transformations.UnionTransformation;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;

/**
 * Partitions a stream by key, as {@link DataStream#keyBy}. Records for another zone go through
 * blobs, and only small references cross Flink's network. Records for the sender's own zone stay in
 * Flink's network. What follows is an ordinary keyed stream: its state, timers,
 * windows and results are those of {@code keyBy}.
 *
 * <p>Stateless. For what it is good, and when it does not pay: {@code docs/guides/flink.md}.
 */
public final class BlobShuffle {
    private BlobShuffle() {}

    /**
     * Partitions a stream by key through blobs. The settings come from Flink's configuration
     * ({@code blobshuffle.store} at least). For a job with one such shuffle; otherwise name each.
     *
     * @throws InvalidSettingsException fatal: a setting cannot work; the message says what to do
     */
    public static <T, K> KeyedStream<T, K> keyBy(DataStream<T> stream, KeySelector<T, K> selector) {
        return keyBy(stream, selector, BlobShuffleOptions.usual());
    }

    /**
     * Partitions a stream by key through blobs.
     *
     * <p>With {@code execution.runtime-mode=BATCH} it is {@code stream.keyBy(selector)}: batch jobs
     * gain nothing.
     *
     * @throws InvalidSettingsException fatal: a setting cannot work; the message says what to do
     */
    public static <T, K> KeyedStream<T, K> keyBy(
            DataStream<T> stream, KeySelector<T, K> selector, BlobShuffleOptions options) {
        return keyBy(stream, selector, TypeExtractor.getKeySelectorTypes(selector, stream.getType()), options);
    }

    /**
     * Partitions a stream by key through blobs, as the method without a type. For selectors whose
     * type Flink cannot see, such as a lambda that returns a tuple.
     *
     * @param keyType the type of the keys, such as {@code Types.TUPLE(Types.STRING, Types.LONG)}
     * @throws InvalidSettingsException fatal: a setting cannot work; the message says what to do
     */
    public static <T, K> KeyedStream<T, K> keyBy(
            DataStream<T> stream, KeySelector<T, K> selector, TypeInformation<K> keyType, BlobShuffleOptions options) {
        StreamExecutionEnvironment environment = stream.getExecutionEnvironment();
        KeyedStream<T, K> natively = stream.keyBy(selector, keyType); // Refuses types that are no keys.
        if (isBatch(environment)) {
            return natively;
        }
        int parallelism = options.parallelism().orElse(environment.getParallelism());
        ShufflePlan plan = plan(environment, options, parallelism);
        requireUnique(environment, plan.name());
        TypeInformation<T> type = stream.getType();
        TypeSerializer<T> serializer =
                type.createSerializer(environment.getConfig().getSerializerConfig());
        KeySelector<T, K> cleaned = environment.clean(selector);
        List<BatcherFactory<T, K>> batchers = new ArrayList<>();
        List<Transformation<Reference>> references = new ArrayList<>();
        for (Transformation<T> sender : Senders.of(stream.getTransformation())) {
            BatcherFactory<T, K> batcher = new BatcherFactory<>(plan, cleaned, serializer);
            Transformation<Reference> batched = batched(environment, sender, batcher, batchers.size());
            batcher.whenGenerated(() -> Neighbours.follow(sender, batched));
            batchers.add(batcher);
            references.add(batched);
        }
        DebatcherFactory<T> debatcher = new DebatcherFactory<>(plan, serializer);
        SingleOutputStreamOperator<T> records = routed(environment, references, plan)
                .transform(plan.name() + "-debatcher", type, debatcher)
                .uid(plan.name() + "-debatcher")
                .setMaxParallelism(plan.maxParallelism());
        options.parallelism().ifPresent(records::setParallelism);
        KeyedStream<T, K> keyed = DataStreamUtils.reinterpretAsKeyedStream(records, selector, keyType);
        // Flink reads the slots of the Debatcher after it has generated the Batchers.
        batchers.get(0)
                .whenGenerated(
                        () -> Neighbours.precede(environment, keyed.getTransformation(), records.getTransformation()));
        debatcher.whenGenerated(() -> {
            Neighbours.adopt(environment, keyed.getTransformation(), records.getTransformation(), plan);
            KeyGroups.align(environment, keyed.getTransformation(), plan);
        });
        return keyed;
    }

    /** What a Batcher makes of the records of a sender. */
    private static <T, K> Transformation<Reference> batched(
            StreamExecutionEnvironment environment,
            Transformation<T> sender,
            BatcherFactory<T, K> batcher,
            int before) {
        String name = batcher.plan().name() + "-batcher" + (before == 0 ? "" : "-" + (before + 1));
        return new DataStream<>(environment, sender)
                .transform(name, new ReferenceType(), batcher)
                .uid(name)
                .getTransformation();
    }

    /**
     * A hash edge of Flink's own. {@code DataStream.keyBy} would open a backend for keyed state.
     */
    private static DataStream<Reference> routed(
            StreamExecutionEnvironment environment, List<Transformation<Reference>> references, ShufflePlan plan) {
        return new DataStream<>(
                environment,
                new PartitionTransformation<>(
                        references.size() == 1 ? references.get(0) : new UnionTransformation<>(references),
                        new KeyGroupStreamPartitioner<>(
                                new RoutingKeys(plan.maxParallelism()), plan.maxParallelism())));
    }

    private static boolean isBatch(StreamExecutionEnvironment environment) {
        RuntimeExecutionMode mode = environment.getConfiguration().get(ExecutionOptions.RUNTIME_MODE);
        if (mode == RuntimeExecutionMode.AUTOMATIC) {
            throw new InvalidSettingsException(
                    "Cannot shuffle through blobs with execution.runtime-mode=AUTOMATIC: Flink"
                            + " chooses the mode after the job is built. Set it to STREAMING, or to BATCH, which shuffles"
                            + " natively.");
        }
        return mode == RuntimeExecutionMode.BATCH;
    }

    private static ShufflePlan plan(
            StreamExecutionEnvironment environment, BlobShuffleOptions options, int parallelism) {
        Map<String, String> given = new HashMap<>();
        environment.getConfiguration().toMap().forEach((key, value) -> {
            // The zone is that of the process that builds the job, not that of a task.
            if (key.startsWith(Setting.PREFIX) && !key.equals(ZoneSettings.ZONE.name())) {
                given.put(key, value);
            }
        });
        given.putAll(options.settings());
        Settings settings = FlinkSettings.parse(given);
        StorePlace.requireReachable(
                StoreSettings.uri(settings), environment.getConfiguration().getOptional(DeploymentOptions.TARGET));
        return new ShufflePlan(
                options.name(),
                submission(environment),
                given,
                maxParallelism(environment, options, parallelism),
                environment.clean(options.zones()));
    }

    /** That of another shuffle of the job, or a new one. */
    private static String submission(StreamExecutionEnvironment environment) {
        return shuffles(environment).map(ShufflePlan::submission).findFirst().orElseGet(() -> {
            try (SystemTime time = new SystemTime()) {
                return HexFormat.of().toHexDigits(time.randomLong());
            }
        });
    }

    private static Stream<ShufflePlan> shuffles(StreamExecutionEnvironment environment) {
        return environment.getTransformations().stream()
                .filter(OneInputTransformation.class::isInstance)
                .map(each -> ((OneInputTransformation<?, ?>) each).getOperatorFactory())
                .filter(BatcherFactory.class::isInstance)
                .map(each -> ((BatcherFactory<?, ?>) each).plan());
    }

    private static int maxParallelism(
            StreamExecutionEnvironment environment, BlobShuffleOptions options, int parallelism) {
        int usual = environment.getMaxParallelism() > 0
                ? environment.getMaxParallelism()
                : KeyGroupRangeAssignment.computeDefaultMaxParallelism(parallelism);
        int max = options.maxParallelism().orElse(usual);
        if (max < parallelism) {
            throw new InvalidSettingsException("Cannot shuffle " + options.name() + " to " + parallelism
                    + " subtasks: its max parallelism is " + max
                    + ". Raise it in the options, or pipeline.max-parallelism, or lower the parallelism.");
        }
        return max;
    }

    private static void requireUnique(StreamExecutionEnvironment environment, String name) {
        if (shuffles(environment).anyMatch(other -> other.name().equals(name))) {
            throw new InvalidSettingsException("Cannot shuffle " + name
                    + ": another shuffle of the job has this name. Give each one BlobShuffleOptions.named(…).");
        }
    }
}
