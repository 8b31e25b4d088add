package dev.blobshuffle.spark.internal;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.network.shuffle.MergedBlockMeta;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.MigratableResolver;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.shuffle.ShuffleBlockResolver;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleMergedBlockId;
import scala.Option;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Spark's own resolver of map files. When Spark is about to move the outputs of an executor to
 * others, because the executor is decommissioned, they go to the store instead. What cannot be
 * stored moves as usual. Thread-safe.
 */
final class BlobResolver implements ShuffleBlockResolver, MigratableResolver {
    private final IndexShuffleBlockResolver files;
    private final Runnable leaving;
    private final Predicate<ShuffleBlockInfo> isStored;

    /**
     * A resolver over Spark's own.
     *
     * @param leaving stores all outputs, as far as that is possible
     * @param isStored whether an output is stored
     */
    BlobResolver(IndexShuffleBlockResolver files, Runnable leaving, Predicate<ShuffleBlockInfo> isStored) {
        this.files = files;
        this.leaving = leaving;
        this.isStored = isStored;
    }

    /** Where the output of an attempt is, if it is here. */
    Path file(int shuffle, long attempt) {
        return files.getDataFile(shuffle, attempt).toPath();
    }

    /** Only Spark's decommissioning asks, again and again until nothing is left. */
    @Override
    public Seq<ShuffleBlockInfo> getStoredShuffles() {
        leaving.run();
        List<ShuffleBlockInfo> left = new ArrayList<>();
        for (ShuffleBlockInfo output : CollectionConverters.asJava(files.getStoredShuffles())) {
            if (!isStored.test(output)) {
                left.add(output);
            }
        }
        return CollectionConverters.asScala(left).toSeq();
    }

    @Override
    public void addShuffleToSkip(int shuffle) {
        files.addShuffleToSkip(shuffle);
    }

    @Override
    public StreamCallbackWithID putShuffleBlockAsStream(BlockId block, SerializerManager serializers) {
        return files.putShuffleBlockAsStream(block, serializers);
    }

    @Override
    public scala.collection.immutable.List<Tuple2<BlockId, ManagedBuffer>> getMigrationBlocks(ShuffleBlockInfo output) {
        return files.getMigrationBlocks(output);
    }

    @Override
    public ManagedBuffer getBlockData(BlockId block, Option<String[]> directories) {
        return files.getBlockData(block, directories);
    }

    @Override
    public Seq<BlockId> getBlocksForShuffle(int shuffle, long attempt) {
        return files.getBlocksForShuffle(shuffle, attempt);
    }

    @Override
    public Seq<ManagedBuffer> getMergedBlockData(ShuffleMergedBlockId block, Option<String[]> directories) {
        return files.getMergedBlockData(block, directories);
    }

    @Override
    public MergedBlockMeta getMergedBlockMeta(ShuffleMergedBlockId block, Option<String[]> directories) {
        return files.getMergedBlockMeta(block, directories);
    }

    @Override
    public void stop() {
        files.stop();
    }
}
