package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.application.Histograms;
import dev.blobshuffle.bench.workload.Probe;
import java.util.Collection;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * What the instances of a run have measured, added up.
 *
 * @param count records after the shuffle, from the start
 * @param checksum their sum
 * @param latencies in microseconds, after the warm-up
 * @param counters after the warm-up, by name; of latencies of the store the largest of the instances'
 */
record Measured(long count, long checksum, Histogram latencies, Map<String, Double> counters) {
    static Measured of(Collection<Properties> instances) {
        long count = 0;
        long checksum = 0;
        Histogram latencies = Probe.histogram();
        Map<String, Double> counters = new TreeMap<>();
        for (Properties instance : instances) {
            count += Long.parseLong(instance.getProperty("count"));
            checksum += Long.parseLong(instance.getProperty("checksum"));
            latencies.add(Histograms.parse(instance.getProperty("latencies")));
            for (String name : instance.stringPropertyNames()) {
                if (!name.equals("count") && !name.equals("checksum") && !name.equals("latencies")) {
                    double value = Double.parseDouble(instance.getProperty(name));
                    counters.merge(name, value, name.contains("-latency-") ? Math::max : Double::sum);
                }
            }
        }
        return new Measured(count, checksum, latencies, counters);
    }

    double counter(String name) {
        return counters.getOrDefault(name, 0.0);
    }
}
