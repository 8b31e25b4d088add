package dev.blobshuffle.spark;

import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.MetricsSystem;
import org.apache.spark.metrics.source.Source;

/** The plug-in's metrics of this process, as Spark shows them. Stateless. */
final class ShownMetrics {
    private ShownMetrics() {}

    /** All of them. If driver and executor have the same one, the larger value counts. */
    static Map<String, Long> now() {
        Map<String, Long> shown = new TreeMap<>();
        scala.collection.Iterator<Source> sources = sources().iterator();
        while (sources.hasNext()) {
            sources.next()
                    .metricRegistry()
                    .getGauges()
                    .forEach((gauge, value) -> shown.merge(gauge, (Long) value.getValue(), Math::max));
        }
        return shown;
    }

    /** Its type is another Seq with Scala 2.12, for which this class is not compiled again. */
    @SuppressWarnings("unchecked") // Spark's.
    private static scala.collection.Iterable<Source> sources() {
        try {
            return (scala.collection.Iterable<Source>) MetricsSystem.class
                    .getMethod("getSourcesByName", String.class)
                    .invoke(SparkEnv.get().metricsSystem(), "plugin." + BlobShufflePlugin.class.getName());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
