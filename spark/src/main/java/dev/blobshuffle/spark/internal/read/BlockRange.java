package dev.blobshuffle.spark.internal.read;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockId$;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;

/**
 * The parts of a shuffle block of Spark: some partitions of one attempt of a map.
 *
 * @param name the block's name
 * @param shuffle the shuffle
 * @param attempt the attempt
 * @param first the first partition
 * @param end the first partition after it
 */
record BlockRange(String name, int shuffle, long attempt, int first, int end) {
    /** The block of a name. */
    static BlockRange parse(String name) {
        BlockId id = BlockId$.MODULE$.apply(name);
        if (id instanceof ShuffleBlockId block) {
            return new BlockRange(name, block.shuffleId(), block.mapId(), block.reduceId(), block.reduceId() + 1);
        }
        if (id instanceof ShuffleBlockBatchId batch) {
            return new BlockRange(name, batch.shuffleId(), batch.mapId(), batch.startReduceId(), batch.endReduceId());
        }
        throw new IllegalArgumentException("Cannot read block " + name + " from a blob: it is no shuffle block.");
    }

    /** Its segments in a blob, in order. Spark asks for no block that is empty. */
    List<Integer> segments(BlobIndex index) {
        List<Integer> segments = new ArrayList<>();
        for (int partition = first; partition < end; partition++) {
            OptionalInt segment = index.segment(attempt, partition);
            if (segment.isPresent()) {
                segments.add(segment.getAsInt());
            }
        }
        if (segments.isEmpty()) {
            throw new IllegalStateException("Cannot read block " + name
                    + ": Spark expects bytes, and the blob has none. Spark runs its maps again.");
        }
        return segments;
    }
}
