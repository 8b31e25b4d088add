package dev.blobshuffle.spark;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.Partitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

/**
 * An RDD program that a seed draws: up to five steps, most of which shuffle, over pairs with keys
 * and values of several types, and nulls. No result depends on the order in which records come.
 * Owned by one test.
 */
final class DrawnProgram {
    private static final int MOST_ROWS = 300;
    private static final int MOST_PARTITIONS = Integer.getInteger("differential.partitions", 30);

    private static final List<StorageLevel> LEVELS =
            List.of(StorageLevel.MEMORY_ONLY(), StorageLevel.MEMORY_AND_DISK_SER(), StorageLevel.DISK_ONLY());

    private final JavaSparkContext context;
    private final Random random;
    private final StringBuilder steps = new StringBuilder();
    private final List<JavaPairRDD<Object, Object>> cached = new ArrayList<>();

    private DrawnProgram(JavaSparkContext context, long seed) {
        this.context = context;
        random = new Random(seed);
    }

    /** The records of a seed's program, as sorted texts; the first says what the program does. */
    static List<String> result(JavaSparkContext context, long seed) {
        DrawnProgram program = new DrawnProgram(context, seed);
        JavaPairRDD<Object, Object> data = program.table();
        for (int i = 1 + program.random.nextInt(5); i > 0; i--) {
            data = program.step(data);
        }
        // No method reference: Java would take it for the other one, which has other types.
        List<String> records =
                new ArrayList<>(data.map(pair -> DrawnValues.text(pair)).collect());
        program.cached.forEach(each -> {
            JavaPairRDD<Object, Object> ignored = each.unpersist(true);
        });
        Collections.sort(records);
        records.add(0, "seed " + seed + ":" + program.steps);
        return records;
    }

    private JavaPairRDD<Object, Object> table() {
        int rows = random.nextInt(6) == 0 ? random.nextInt(3) : 1 + random.nextInt(MOST_ROWS);
        int keys = 1 + random.nextInt(60);
        int kind = random.nextInt(DrawnValues.KINDS);
        int maps = 1 + random.nextInt(8);
        boolean isLarge = random.nextInt(40) == 0;
        int salt = random.nextInt();
        note("%s of %d rows in %d, kind %d", isLarge ? "large table" : "table", rows, maps, kind);
        List<Integer> ids = IntStream.range(0, rows).boxed().toList();
        return context.parallelize(ids, maps)
                .mapToPair(id -> new Tuple2<>(
                        DrawnValues.key(kind, keys, salt, id),
                        isLarge && id == 0 ? DrawnValues.large(salt) : DrawnValues.value(salt, id)));
    }

    private JavaPairRDD<Object, Object> step(JavaPairRDD<Object, Object> data) {
        return switch (random.nextInt(16)) {
            case 0 -> {
                note("reduce");
                yield data.reduceByKey(partitioner(), DrawnValues::sum);
            }
            case 1 -> {
                note("group");
                yield data.groupByKey(partitioner()).mapValues(DrawnValues::bag);
            }
            case 2 -> {
                note("cogroup");
                yield data.cogroup(table(), partitioner())
                        .mapValues(bags -> DrawnValues.bag(bags._1()) + " and " + DrawnValues.bag(bags._2()));
            }
            case 3, 4 -> join(data);
            case 5, 6 -> sorted(data);
            case 7 -> redistributed(data);
            case 8 -> {
                note("aggregate");
                yield data.aggregateByKey((Object) 1L, partitioner(), DrawnValues::sum, DrawnValues::sum);
            }
            case 9 -> {
                note("partition");
                yield data.partitionBy(partitioner());
            }
            case 10 -> distinct(data);
            case 11 -> zipped(data);
            case 12 -> kept(data);
            case 13 -> combined(data);
            case 14 -> {
                note("subtract");
                yield data.subtractByKey(table(), partitioner());
            }
            default -> {
                note("union");
                yield data.union(data.filter(pair -> DrawnValues.hash(pair) % 3 == 0));
            }
        };
    }

    /** With at most one value of a key on the right, so that joins of joins stay small. */
    private JavaPairRDD<Object, Object> join(JavaPairRDD<Object, Object> data) {
        JavaPairRDD<Object, Object> right = (random.nextBoolean() ? data : table())
                .mapValues(value -> (Object) DrawnValues.hash(value))
                .reduceByKey(partitioner(), DrawnValues::sum);
        int kind = random.nextInt(4);
        note("join %d", kind);
        Partitioner partitioner = partitioner();
        JavaPairRDD<Object, Object> left = data.mapValues(DrawnValues::text); // Outer joins take no nulls.
        return switch (kind) {
            case 0 -> left.join(right, partitioner).mapValues(DrawnValues::joined);
            case 1 -> left.leftOuterJoin(right, partitioner).mapValues(DrawnValues::joined);
            case 2 -> left.rightOuterJoin(right, partitioner).mapValues(DrawnValues::joined);
            default -> left.fullOuterJoin(right, partitioner).mapValues(DrawnValues::joined);
        };
    }

    /** In the whole, with the first rank of each key, or within each partition. */
    private JavaPairRDD<Object, Object> sorted(JavaPairRDD<Object, Object> data) {
        boolean isAscending = random.nextBoolean();
        Comparator<Object> order = new DrawnValues.Order(isAscending);
        if (random.nextBoolean()) {
            note("sort within partitions");
            return data.repartitionAndSortWithinPartitions(partitioner(), order)
                    .mapPartitionsToPair(pairs -> DrawnValues.requireSorted(pairs, order), true);
        }
        note("ranks");
        return data.sortByKey(order, true, partitions())
                .keys()
                .zipWithIndex()
                .mapToPair(ranked -> new Tuple2<>(ranked._1(), (Object) ranked._2()))
                .reduceByKey((one, other) -> Math.min((Long) one, (Long) other));
    }

    private JavaPairRDD<Object, Object> redistributed(JavaPairRDD<Object, Object> data) {
        int partitions = partitions();
        if (random.nextBoolean()) {
            note("repartition into %d", partitions);
            return data.repartition(partitions);
        }
        boolean isShuffled = random.nextInt(3) > 0;
        note("coalesce into %d, shuffled %s", partitions, isShuffled);
        return data.coalesce(partitions, isShuffled);
    }

    private JavaPairRDD<Object, Object> distinct(JavaPairRDD<Object, Object> data) {
        note("distinct");
        return data.mapValues(value -> (Object) (DrawnValues.hash(value) % 5)).distinct(partitions());
    }

    /** The same partitions of two tables side by side. */
    private JavaPairRDD<Object, Object> zipped(JavaPairRDD<Object, Object> data) {
        Partitioner partitioner = partitioner();
        note("zip");
        JavaRDD<Tuple2<Object, Object>> left =
                JavaRDD.fromRDD(data.partitionBy(partitioner).rdd(), data.classTag());
        JavaRDD<Tuple2<Object, Object>> right =
                JavaRDD.fromRDD(table().partitionBy(partitioner).rdd(), data.classTag());
        return left.zipPartitions(right, DrawnValues::sides)
                .mapToPair(sides -> new Tuple2<>((Object) (long) sides.hashCode(), (Object) sides));
    }

    /** Cached, or with a checkpoint, and computed once before it is used. */
    private JavaPairRDD<Object, Object> kept(JavaPairRDD<Object, Object> data) {
        JavaPairRDD<Object, Object> kept = data.partitionBy(partitioner());
        if (random.nextInt(3) == 0) {
            note("checkpoint");
            kept.checkpoint();
        } else {
            note("cache");
            kept = kept.persist(LEVELS.get(random.nextInt(LEVELS.size())));
            cached.add(kept);
        }
        note("%d records", kept.count());
        return kept;
    }

    /** By a serializer of its own, and with map-side combining or without. */
    private JavaPairRDD<Object, Object> combined(JavaPairRDD<Object, Object> data) {
        boolean isOnMapSide = random.nextBoolean();
        Serializer serializer =
                random.nextBoolean() ? new KryoSerializer(context.getConf()) : new JavaSerializer(context.getConf());
        note("combine on map side %s, %s", isOnMapSide, serializer.getClass().getSimpleName());
        return data.combineByKey(
                value -> (Object) DrawnValues.hash(value),
                DrawnValues::sum,
                DrawnValues::sum,
                partitioner(),
                isOnMapSide,
                serializer);
    }

    private Partitioner partitioner() {
        int partitions = partitions();
        int kind = random.nextInt(4);
        note("by %d into %d", kind, partitions);
        return kind < 2 ? new HashPartitioner(partitions) : new DrawnValues.Skewed(partitions, kind == 2);
    }

    private int partitions() {
        return 1 + random.nextInt(random.nextInt(40) == 0 ? MOST_PARTITIONS : 12);
    }

    private void note(String step, Object... values) {
        steps.append(' ')
                .append(String.format(Locale.ROOT, Objects.requireNonNull(step), values))
                .append(';');
    }
}
