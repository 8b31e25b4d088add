package dev.blobshuffle.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.util.LongAccumulator;
import scala.Tuple2;

/**
 * A shuffle with a small block of random bytes from each map for each partition. A partition is
 * read after those before it, two at a time.
 *
 * @param runs how often a map ran
 */
record ManyBlocks(JavaPairRDD<Integer, byte[]> pairs, LongAccumulator runs) implements Serializable {
    static final int MAPS = 48;
    static final int PARTITIONS = 100;

    /** Bytes of a block before Spark adds its own. */
    static final int BYTES = 700;

    /** Runs when a partition is being read, with its index. All tasks are in this process. */
    static final AtomicReference<IntConsumer> WHEN_READ = new AtomicReference<>(partition -> {});

    static ManyBlocks of(SparkApplication spark) {
        return of(spark, BYTES);
    }

    /** Blocks of another size. */
    static ManyBlocks of(SparkApplication spark, int size) {
        LongAccumulator runs = spark.session().sparkContext().longAccumulator();
        List<Integer> maps = new ArrayList<>(IntStream.range(0, MAPS).boxed().toList());
        return new ManyBlocks(
                spark.context()
                        .parallelize(maps, MAPS)
                        .flatMapToPair(map -> {
                            runs.add(1);
                            return IntStream.range(0, PARTITIONS)
                                    .mapToObj(partition ->
                                            new Tuple2<>(partition, bytes(size, map * PARTITIONS + partition)))
                                    .iterator();
                        })
                        .partitionBy(new HashPartitioner(PARTITIONS)),
                runs);
    }

    /** The sum of {@link #of(SparkApplication)}, without Spark. */
    static long expected() {
        return IntStream.range(0, MAPS * PARTITIONS)
                .mapToLong(block -> seen(new Tuple2<>(block % PARTITIONS, bytes(BYTES, block))))
                .sum();
    }

    private static byte[] bytes(int size, int seed) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Reads all. */
    long sum() {
        return pairs.map(ManyBlocks::read).reduce(Long::sum);
    }

    private static long read(Tuple2<Integer, byte[]> pair) {
        WHEN_READ.get().accept(pair._1());
        return seen(pair);
    }

    private static long seen(Tuple2<Integer, byte[]> pair) {
        return (long) Arrays.hashCode(pair._2()) * (pair._1() + 1);
    }
}
