package dev.blobshuffle.spark.internal;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.spark.internal.directory.BlobLocation;
import dev.blobshuffle.spark.internal.read.BlobShuffleReader;
import dev.blobshuffle.spark.internal.read.BlobShuffleReader.Range;
import dev.blobshuffle.spark.internal.settings.Contradictions;
import dev.blobshuffle.spark.internal.shim.Scala;
import dev.blobshuffle.spark.internal.write.MapOutput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.ShuffleManager;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import scala.Option;
import scala.Product2;
import scala.collection.Iterator;

/**
 * The shuffle manager. Spark's own writers write the outputs of maps, and Spark's own resolver
 * serves them; this adds the blobs that they belong to. Thread-safe.
 */
public class BlobShuffle implements ShuffleManager {
    private final SortShuffleManager sort;
    private final BlobResolver resolver;

    /**
     * Spark calls it.
     *
     * @throws InvalidSettingsException fatal: the plug-in is missing
     */
    public BlobShuffle(SparkConf conf) {
        Contradictions.requirePlugin(conf, "shuffle manager");
        sort = new SortShuffleManager(conf);
        resolver = new BlobResolver(
                sort.shuffleBlockResolver(),
                ExecutorShuffle::leave,
                output -> ExecutorShuffle.isStored(output.shuffleId(), output.mapId()));
    }

    @Override
    public <K, V, C> ShuffleHandle registerShuffle(int shuffle, ShuffleDependency<K, V, C> dependency) {
        return sort.registerShuffle(shuffle, dependency);
    }

    @Override
    public <K, V> ShuffleWriter<K, V> getWriter(
            ShuffleHandle handle, long attempt, TaskContext context, ShuffleWriteMetricsReporter metrics) {
        ShuffleWriter<K, V> writer = sort.getWriter(handle, attempt, context, metrics);
        return new StoringWriter<>(
                writer, lengths -> output(handle.shuffleId(), context.partitionId(), attempt, lengths));
    }

    private MapOutput output(int shuffle, int map, long attempt, long[] lengths) {
        IndexShuffleBlockResolver files = sort.shuffleBlockResolver();
        return new MapOutput(
                shuffle,
                map,
                attempt,
                files.getDataFile(shuffle, attempt).toPath(),
                lengths,
                () -> files.removeDataByMap(shuffle, attempt));
    }

    @Override
    public <K, C> ShuffleReader<K, C> getReader(
            ShuffleHandle handle,
            int firstMap,
            int endMap,
            int firstPartition,
            int endPartition,
            TaskContext context,
            ShuffleReadMetricsReporter metrics) {
        @SuppressWarnings("unchecked") // Made by registerShuffle for these types.
        BaseShuffleHandle<K, ?, C> own = (BaseShuffleHandle<K, ?, C>) handle;
        return new BlobShuffleReader<>(
                own,
                new Range(firstMap, endMap),
                new Range(firstPartition, endPartition),
                context,
                metrics,
                ExecutorShuffle.current().client());
    }

    /** Where the output of an attempt is, if it is here. */
    Path file(int shuffle, long attempt) {
        return resolver.file(shuffle, attempt);
    }

    @Override
    public boolean unregisterShuffle(int shuffle) {
        ExecutorShuffle.drop(shuffle);
        return sort.unregisterShuffle(shuffle);
    }

    @Override
    public ShuffleBlockResolver shuffleBlockResolver() {
        return Scala.IS_2_12 ? sort.shuffleBlockResolver() : resolver;
    }

    @Override
    public void stop() {
        sort.stop();
    }

    /** Makes the output of a map from the lengths of its partitions. */
    @FunctionalInterface
    private interface Outputs {
        MapOutput of(long[] lengths);
    }

    /** Spark's writer of a map. Its output gets into a blob, and its status names the blob. */
    private static final class StoringWriter<K, V> extends ShuffleWriter<K, V> {
        private final ShuffleWriter<K, V> writer;
        private final Outputs outputs;

        StoringWriter(ShuffleWriter<K, V> writer, Outputs outputs) {
            this.writer = writer;
            this.outputs = outputs;
        }

        @Override
        public void write(Iterator<Product2<K, V>> records) throws IOException {
            writer.write(records);
        }

        @Override
        public Option<MapStatus> stop(boolean success) {
            Option<MapStatus> status = writer.stop(success);
            if (success && status.isDefined()) {
                long[] lengths = writer.getPartitionLengths().clone();
                Optional<BlobId> blob = ExecutorShuffle.current().batcher().add(outputs.of(lengths));
                blob.ifPresent(id -> status.get()
                        .updateLocation(
                                BlobLocation.of(id, status.get().location().host())));
            }
            return status;
        }

        @Override
        public long[] getPartitionLengths() {
            return writer.getPartitionLengths();
        }
    }
}
