package dev.blobshuffle.spark.internal.read;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.spark.internal.directory.BlobLocation;
import dev.blobshuffle.spark.internal.shim.Sorters;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.Aggregator;
import org.apache.spark.InterruptibleIterator;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.io.CompressionCodec;
import org.apache.spark.io.CompressionCodec$;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockFetcherIterator;
import org.apache.spark.storage.ShuffleBlockId;
import org.apache.spark.util.CompletionIterator;
import org.apache.spark.util.SystemClock;
import scala.Function1;
import scala.Option;
import scala.Product2;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.runtime.BoxedUnit;

/**
 * Reads some partitions of some maps, as Spark's own reader does, from a {@link BlobBlockClient}.
 * Spark's fetch iterator limits what is in flight, retries and reports failures. Owned by the
 * task's thread.
 *
 * @param <K> type of the keys
 * @param <C> type of the combined values
 */
public final class BlobShuffleReader<K, C> implements ShuffleReader<K, C> {
    private static final long MIB = 1 << 20;

    private final BaseShuffleHandle<K, ?, C> handle;
    private final Range maps;
    private final Range partitions;
    private final TaskContext context;
    private final ShuffleReadMetricsReporter metrics;
    private final BlobBlockClient client;
    private final SparkEnv env = SparkEnv.get();

    /** The blobs of the attempts that Spark reads as local ones, as the map statuses name them. */
    private final Map<Long, BlockManagerId> local = new HashMap<>();

    /**
     * Half-open.
     *
     * @param first the first
     * @param end the first after it
     */
    public record Range(int first, int end) {}

    /** A reader of a task. */
    public BlobShuffleReader(
            BaseShuffleHandle<K, ?, C> handle,
            Range maps,
            Range partitions,
            TaskContext context,
            ShuffleReadMetricsReporter metrics,
            BlobBlockClient client) {
        this.handle = handle;
        this.maps = maps;
        this.partitions = partitions;
        this.context = context;
        this.metrics = metrics;
        this.client = client;
    }

    @Override
    public Iterator<Product2<K, C>> read() {
        SerializerInstance serializer = handle.dependency().serializer().newInstance();
        Iterator<Tuple2<Object, Object>> records = flatMapped(
                blocks().toCompletionIterator(),
                block -> serializer.deserializeStream(block._2()).asKeyValueIterator());
        Iterator<Tuple2<Object, Object>> counted = records.map(each -> {
            metrics.incRecordsRead(1);
            return each;
        });
        Iterator<Tuple2<Object, Object>> reported = CompletionIterator.apply(counted, () -> {
            context.taskMetrics().mergeShuffleReadMetrics();
            return BoxedUnit.UNIT;
        });
        return combined(new InterruptibleIterator<>(context, new BlobFailures<>(reported, local)));
    }

    /** Scala 2.12 and 2.13 want another type from the function; an iterator is of both. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <A, B> Iterator<B> flatMapped(Iterator<A> from, Function1<A, Iterator<B>> function) {
        return ((Iterator) from).flatMap((Function1) function);
    }

    /** Where the map statuses say that the blocks are. */
    private Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> addresses() {
        Tuple2<
                        Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>>,
                        Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>>>
                addresses = env.mapOutputTracker()
                        .getMapSizesByExecutorId(
                                handle.shuffleId(), maps.first, maps.end, partitions.first, partitions.end)
                        .duplicate();
        List<BlobId> blobs = new ArrayList<>();
        while (addresses._1().hasNext()) {
            BlobLocation.parse(addresses._1().next()._1().executorId()).ifPresent(blobs::add);
        }
        client.learn(handle.shuffleId(), blobs);
        return addresses._2().map(this::asLocal);
    }

    /** Spark reads what is on the own disk as local blocks, and counts it so. */
    private Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>> asLocal(
            Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>> address) {
        Optional<BlobId> blob = BlobLocation.parse(address._1().executorId());
        if (blob.filter(client::isOnOwnDisk).isEmpty()) {
            return address;
        }
        List<Long> attempts = new ArrayList<>();
        Iterator<Tuple3<BlockId, Object, Object>> blocks = address._2().iterator();
        while (blocks.hasNext()) {
            attempts.add(((ShuffleBlockId) blocks.next()._1()).mapId());
        }
        if (!attempts.stream().allMatch(attempt -> client.keepsFile(handle.shuffleId(), attempt))) {
            return address;
        }
        attempts.forEach(attempt -> local.put(attempt, address._1()));
        return new Tuple2<>(env.blockManager().blockManagerId(), address._2());
    }

    private ShuffleBlockFetcherIterator blocks() {
        SparkConf conf = env.conf();
        SerializerManager serializers = env.serializerManager();
        return new ShuffleBlockFetcherIterator(
                context,
                client,
                env.blockManager(),
                env.mapOutputTracker(),
                addresses(),
                serializers::wrapStream,
                conf.getSizeAsMb("spark.reducer.maxSizeInFlight", "48m") * MIB,
                conf.getInt("spark.reducer.maxReqsInFlight", Integer.MAX_VALUE),
                conf.getInt("spark.reducer.maxBlocksInFlightPerAddress", Integer.MAX_VALUE),
                conf.getSizeAsBytes("spark.network.maxRemoteBlockSizeFetchToMem", "200m"),
                conf.getInt("spark.shuffle.maxAttemptsOnNettyOOM", 10),
                conf.getBoolean("spark.shuffle.detectCorrupt", true),
                conf.getBoolean("spark.shuffle.detectCorrupt.useExtraMemory", false),
                false,
                conf.get("spark.shuffle.checksum.algorithm", "ADLER32"),
                metrics,
                fetchesBatches(conf),
                new SystemClock());
    }

    /** Whether Spark may ask for neighbouring partitions of a map as one block. */
    private boolean fetchesBatches(SparkConf conf) {
        boolean isConcatenable = !conf.getBoolean("spark.shuffle.compress", true)
                || CompressionCodec$.MODULE$.supportsConcatenationOfSerializedStreams(codec(conf));
        return SortShuffleManager.canUseBatchFetch(partitions.first, partitions.end, context)
                && handle.dependency().serializer().supportsRelocationOfSerializedObjects()
                && isConcatenable
                && !conf.getBoolean("spark.io.encryption.enabled", false);
    }

    private static CompressionCodec codec(SparkConf conf) {
        return CompressionCodec$.MODULE$.createCodec(conf);
    }

    /**
     * Combines and sorts as the dependency wants. Which types the iterator has, the dependency
     * knows at run time only.
     */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private Iterator<Product2<K, C>> combined(Iterator records) {
        ShuffleDependency dependency = handle.dependency();
        Option<Aggregator> aggregator = dependency.aggregator();
        Iterator combined;
        if (dependency.keyOrdering().isDefined()) {
            Option<Aggregator> merging = aggregator;
            if (aggregator.isDefined() && dependency.mapSideCombine()) {
                Aggregator mapSide = aggregator.get();
                Function1<Object, Object> same = value -> value;
                merging = Option.apply(new Aggregator(same, mapSide.mergeCombiners(), mapSide.mergeCombiners()));
            }
            combined = Sorters.of(context, (Option) merging, dependency.keyOrdering(), dependency.serializer())
                    .insertAllAndUpdateMetrics(records);
        } else if (aggregator.isDefined()) {
            combined = dependency.mapSideCombine()
                    ? aggregator.get().combineCombinersByKey(records, context)
                    : aggregator.get().combineValuesByKey(records, context);
        } else {
            return records;
        }
        return combined instanceof InterruptibleIterator ? combined : new InterruptibleIterator(context, combined);
    }
}
