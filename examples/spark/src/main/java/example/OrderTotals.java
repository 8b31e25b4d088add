package example;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sum;

import java.io.IOException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Adds up what each customer has ordered, with the shuffle in a store, and prints the totals. */
public final class OrderTotals {
    private static final long ORDERS = 3_000;
    private static final int CUSTOMERS = 5;

    public static void main(String[] arguments) throws IOException {
        try (SparkSession spark = SparkSession.builder()
                .appName("order-totals")
                // With spark-submit these settings are --conf, and the code has none of them.
                .config("spark.plugins", "dev.blobshuffle.spark.BlobShufflePlugin")
                .config("spark.blobshuffle.store", System.getenv("BLOB_STORE"))
                .config("spark.blobshuffle.durability", "sync")
                .config("spark.master", System.getenv().getOrDefault("SPARK_MASTER", "local[2]"))
                .getOrCreate()) {
            Dataset<Row> orders = spark.range(0, ORDERS, 1, 2)
                    .select(concat(lit("customer-"), col("id").mod(CUSTOMERS)).as("customer"), col("id").as("amount"));
            orders.groupBy("customer").agg(sum("amount").as("total")).orderBy("customer").collectAsList()
                    .forEach(row -> System.out.println(row.getString(0) + " " + row.getLong(1)));
        }
    }
}
