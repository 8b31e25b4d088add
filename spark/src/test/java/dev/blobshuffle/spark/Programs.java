package dev.blobshuffle.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.when;
import static org.apache.spark.sql.functions.xxhash64;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.util.LongAccumulator;
import scala.Tuple2;

/** What the tests compute, natively and through blobs. Stateless. */
final class Programs implements Serializable {
    private static final long serialVersionUID = 1L;

    static final int MAPS = 6;
    static final int PARTITIONS = 5;
    static final long ROWS = 6_000;

    private Programs() {}

    /** All results, as texts. */
    static List<String> results(SparkApplication spark) {
        return List.of(aggregate(spark), skewedJoin(spark), sort(spark), reduced(spark), grouped(spark), sorted(spark));
    }

    static String aggregate(SparkApplication spark) {
        return range(spark)
                .select(col("id").mod(ROWS / 4).as("k"), xxhash64(col("id")).as("v"))
                .groupBy("k")
                .agg(sum("v").as("s"), count("v").as("n"))
                .agg(sum(col("s").bitwiseXOR(col("k"))), sum("n"))
                .first()
                .toString();
    }

    /** A third of the rows has one key; the settings make Spark divide its partition. */
    static String skewedJoin(SparkApplication spark) {
        spark.session().conf().set("spark.sql.autoBroadcastJoinThreshold", "-1");
        spark.session().conf().set("spark.sql.adaptive.skewJoin.skewedPartitionFactor", "1.1");
        spark.session().conf().set("spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", "4k");
        spark.session().conf().set("spark.sql.adaptive.advisoryPartitionSizeInBytes", "4k");
        Dataset<Row> left = range(spark)
                .select(
                        when(col("id").mod(3).equalTo(0), lit(7L))
                                .otherwise(col("id"))
                                .as("k"),
                        col("id").as("v"));
        Dataset<Row> right = spark.session()
                .range(0, ROWS / 2, 1, MAPS)
                .select(col("id").as("k2"), xxhash64(col("id")).as("w"));
        return left.join(right, col("k").equalTo(col("k2")))
                .agg(count("v"), sum(col("v").bitwiseXOR(col("w"))))
                .first()
                .toString();
    }

    static String sort(SparkApplication spark) {
        return range(spark)
                .select(xxhash64(col("id")).as("h"))
                .orderBy("h")
                .selectExpr("h", "monotonically_increasing_id() m")
                .agg(sum(col("h").bitwiseXOR(col("m"))))
                .first()
                .toString();
    }

    static String reduced(SparkApplication spark) {
        return new TreeMap<>(pairs(spark).reduceByKey(Long::sum, PARTITIONS).collectAsMap()).toString();
    }

    static String grouped(SparkApplication spark) {
        return sums(pairs(spark).groupByKey(PARTITIONS));
    }

    static String sorted(SparkApplication spark) {
        return pairs(spark).sortByKey(true, PARTITIONS).keys().collect().toString();
    }

    private static Dataset<Row> range(SparkApplication spark) {
        return spark.session().range(0, ROWS, 1, MAPS).toDF();
    }

    private static JavaPairRDD<String, Long> pairs(SparkApplication spark) {
        return counted(spark, spark.session().sparkContext().longAccumulator());
    }

    /** Sums of groups; reading the shuffle again gives the same. */
    static String sums(JavaPairRDD<String, Iterable<Long>> groups) {
        return new TreeMap<>(groups.mapValues(Programs::xor).collectAsMap()).toString();
    }

    private static long xor(Iterable<Long> values) {
        long total = 0;
        for (long value : values) {
            total ^= value;
        }
        return total;
    }

    /** Pairs of {@link #MAPS} maps, each of which counts its runs. */
    static JavaPairRDD<String, Long> counted(SparkApplication spark, LongAccumulator runs) {
        return counted(spark, runs, MAPS);
    }

    /** Pairs of some maps, each of which counts its runs. */
    static JavaPairRDD<String, Long> counted(SparkApplication spark, LongAccumulator runs, int count) {
        return counted(spark, runs, count, ROWS);
    }

    /** Some pairs of some maps, each of which counts its runs. */
    static JavaPairRDD<String, Long> counted(SparkApplication spark, LongAccumulator runs, int count, long rows) {
        List<Integer> maps = new ArrayList<>();
        for (int map = 0; map < count; map++) {
            maps.add(map);
        }
        long each = rows / count;
        return spark.context().parallelize(maps, count).flatMapToPair(map -> {
            runs.add(1);
            return LongStream.range(map * each, (map + 1) * each)
                    .mapToObj(value -> new Tuple2<>("key" + value % 97, value))
                    .iterator();
        });
    }
}
