package dev.blobshuffle.sparkbundle;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.sum;

import java.io.IOException;
import org.apache.spark.sql.SparkSession;

/** A job with two shuffles, which {@link BundleIT} submits. */
public final class Totals {
    private static final long ROWS = 10_000;

    /** The sum of all rows. */
    public static final long EXPECTED = ROWS * (ROWS - 1) / 2;

    private Totals() {}

    public static void main(String[] arguments) throws IOException {
        try (SparkSession spark = SparkSession.builder().appName("totals").getOrCreate()) {
            long total = spark.range(ROWS)
                    .repartition(5)
                    .groupBy(col("id").mod(7))
                    .agg(sum("id").as("part"))
                    .agg(sum("part"))
                    .first()
                    .getLong(0);
            System.out.println("total " + total);
        }
    }
}
