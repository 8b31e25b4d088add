package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.application.BenchApplication;
import dev.blobshuffle.bench.application.Histograms;
import dev.blobshuffle.bench.workload.RecordProbe;
import java.util.Collection;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * The sum of the measurements of all instances of a run.
 *
 * @param count records after the shuffle, from the start
 * @param checksum their sum
 * @param latencies in microseconds, in the measured window
 * @param counters in the measured window, by name; those that end in {@code -total} from the start
 */
record Measured(long count, long checksum, Latencies latencies, Map<String, Double> counters) {
    private static final String COUNT = "count";
    private static final String CHECKSUM = "checksum";
    /** The counter of the instances, including those that left. */
    static final String INSTANCES = "instances";

    private static final Set<String> NO_COUNTERS = Set.of(
            COUNT,
            CHECKSUM,
            BenchApplication.LATENCIES,
            BenchApplication.PUT_LATENCIES,
            BenchApplication.GET_LATENCIES);

    /**
     * Latencies of all instances, in microseconds.
     *
     * @param records records, from their entry into the shuffle or their due time until they are
     *     processed after it
     * @param puts requests to the store that succeeded
     * @param gets requests to the store that succeeded
     */
    record Latencies(Histogram records, Histogram puts, Histogram gets) {
        private void add(Properties instance) {
            records.add(Histograms.parse(instance.getProperty(BenchApplication.LATENCIES)));
            puts.add(Histograms.parse(instance.getProperty(BenchApplication.PUT_LATENCIES)));
            gets.add(Histograms.parse(instance.getProperty(BenchApplication.GET_LATENCIES)));
        }
    }

    static Measured of(Collection<Properties> instances) {
        long count = 0;
        long checksum = 0;
        Latencies latencies = new Latencies(RecordProbe.histogram(), RecordProbe.histogram(), RecordProbe.histogram());
        Map<String, Double> counters = new TreeMap<>();
        counters.put(INSTANCES, (double) instances.size());
        for (Properties instance : instances) {
            count += Long.parseLong(instance.getProperty(COUNT));
            checksum += Long.parseLong(instance.getProperty(CHECKSUM));
            latencies.add(instance);
            for (String name : instance.stringPropertyNames()) {
                if (!NO_COUNTERS.contains(name)) {
                    counters.merge(name, Double.parseDouble(instance.getProperty(name)), Double::sum);
                }
            }
        }
        return new Measured(count, checksum, latencies, counters);
    }

    double counter(String name) {
        return counters.getOrDefault(name, 0.0);
    }
}
