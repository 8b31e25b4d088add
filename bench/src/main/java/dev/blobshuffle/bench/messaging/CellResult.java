package dev.blobshuffle.bench.messaging;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * One run of a workload on a system.
 *
 * @param workload the workload
 * @param system the system that it ran on
 * @param round of the benchmark
 * @param seconds that were measured
 * @param received records in that time, of all groups
 * @param latency from due to received, microseconds
 * @param publish from due to durable, microseconds
 * @param clientCpu seconds of the clients, without JIT compilers
 * @param serverCpu seconds of the servers, without JIT compilers
 * @param compilerCpu seconds of the JIT compilers of all
 * @param database the work of PostgreSQL; zeros for Kafka
 * @param puts requests to the store
 * @param gets requests to the store
 * @param problem the problem with the received records; empty if there is none
 */
record CellResult(
        Workload workload,
        MessagingSystem system,
        int round,
        double seconds,
        long received,
        Histogram latency,
        Histogram publish,
        double clientCpu,
        double serverCpu,
        double compilerCpu,
        DatabaseWork database,
        long puts,
        long gets,
        String problem) {
    private static final double BYTES_PER_GIB = 1 << 30;
    private static final double NOT_STEADY = 0.1;
    private static final double MICROS_PER_MILLI = 1000;

    /** GiB of values that one group received. */
    double gibibytes() {
        return (double) received / workload.subscriptions() * workload.messageSize() / BYTES_PER_GIB;
    }

    /** Records per second that each group received. */
    double perSecond() {
        return received / (workload.subscriptions() * seconds);
    }

    /**
     * Whether consumers received the due number of records, within a tenth, and records of the
     * measured time. Otherwise the machine was too busy or the warm-up too short, and the numbers
     * mean nothing.
     */
    boolean isSteady() {
        double due = workload.isMaximumRate() ? perSecond() : workload.rate();
        return latency.getTotalCount() > 0 && Math.abs(perSecond() - due) <= NOT_STEADY * due;
    }

    /** CPU seconds of clients and servers for each GiB published, JIT compilers left out. */
    double cpuPerGibibyte() {
        return (clientCpu + serverCpu) / gibibytes();
    }

    double walPerCommit() {
        return (double) database.walBytes() / database.batches();
    }

    double walPerGibibyte() {
        return database.walBytes() / gibibytes();
    }

    double queriesPerSecond() {
        return database.transactions() / seconds;
    }

    double putsPerGibibyte() {
        return puts / gibibytes();
    }

    double getsPerGibibyte() {
        return gets / gibibytes();
    }

    double latencyMillis(double percentile) {
        return latency.getValueAtPercentile(percentile) / MICROS_PER_MILLI;
    }

    double publishMillis(double percentile) {
        return publish.getValueAtPercentile(percentile) / MICROS_PER_MILLI;
    }

    String line() {
        return String.format(
                Locale.ROOT,
                "  %-24s %-24s %8.0f records/s, %6.1f CPU s/GiB (clients %.1f s, servers %.1f s), p95 %.0f ms%s",
                workload.name(),
                system.title(),
                perSecond(),
                cpuPerGibibyte(),
                clientCpu,
                serverCpu,
                latencyMillis(95),
                (isSteady() ? "" : ", NOT STEADY") + (problem.isEmpty() ? "" : ", WRONG: " + problem));
    }

    Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("workload", workload.name());
        json.put("partitions", workload.partitions());
        json.put("groups", workload.subscriptions());
        json.put("producer_rate", workload.rate());
        json.put("system", system.title());
        json.put("round", round);
        json.put("seconds", seconds);
        json.put("records_per_second", perSecond());
        json.put("end_to_end_ms", quantiles(latency));
        json.put("publish_ms", quantiles(publish));
        json.put("cpu_seconds_per_gib", cpuPerGibibyte());
        json.put("client_cpu_seconds", clientCpu);
        json.put("server_cpu_seconds", serverCpu);
        json.put("jit_cpu_seconds", compilerCpu);
        if (!system.isKafka()) {
            json.put("wal_bytes_per_commit", walPerCommit());
            json.put("wal_bytes_per_gib", walPerGibibyte());
            json.put("queries_per_second", queriesPerSecond());
            json.put("puts_per_gib", putsPerGibibyte());
            json.put("gets_per_gib", getsPerGibibyte());
        }
        json.put("steady", isSteady());
        json.put("problem", problem);
        return json;
    }

    private static Map<String, Object> quantiles(Histogram histogram) {
        Map<String, Object> quantiles = new LinkedHashMap<>();
        for (int percent : new int[] {50, 95, 99}) {
            quantiles.put("p" + percent, histogram.getValueAtPercentile(percent) / MICROS_PER_MILLI);
        }
        return quantiles;
    }
}
