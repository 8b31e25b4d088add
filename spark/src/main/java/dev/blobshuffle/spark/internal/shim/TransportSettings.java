package dev.blobshuffle.spark.internal.shim;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.spark.SparkConf;
import org.apache.spark.network.util.ConfigProvider;
import org.apache.spark.network.util.TransportConf;
import scala.Tuple2;

/**
 * Spark's configuration, as its transport reads it. Spark's own adapter has other parameters in
 * each line of releases. Thread-safe.
 */
public final class TransportSettings extends ConfigProvider {
    private final SparkConf conf;

    private TransportSettings(SparkConf conf) {
        this.conf = conf;
    }

    /** Those of shuffles. */
    public static TransportConf ofShuffles(SparkConf conf) {
        return new TransportConf("shuffle", new TransportSettings(conf));
    }

    @Override
    public String get(String name) {
        if (!conf.contains(name)) {
            throw new NoSuchElementException(name); // Spark asks for a default then.
        }
        return conf.get(name);
    }

    @Override
    public Iterable<Map.Entry<String, String>> getAll() {
        List<Tuple2<String, String>> all = Arrays.asList(conf.getAll());
        return all.stream().map(each -> Map.entry(each._1(), each._2())).toList();
    }
}
