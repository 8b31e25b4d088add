package dev.blobshuffle.bench.peer;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The result of a run of {@code bench peer}.
 *
 * @param plan the plan of the run
 * @param gibibytes served
 * @param gibibytesPerSecond throughput, client and server on one machine
 * @param cpuSecondsPerGibibyte of the server, without compilers
 * @param compilerSeconds of the server
 * @param readerCpuSecondsPerGibibyte of the readers, who also check every byte
 */
public record Served(
        ServingPlan plan,
        double gibibytes,
        double gibibytesPerSecond,
        double cpuSecondsPerGibibyte,
        double compilerSeconds,
        double readerCpuSecondsPerGibibyte) {
    /** The costs of server and reader, for a table. */
    public String costs() {
        return String.format(Locale.ROOT, "%.3f + %.3f", cpuSecondsPerGibibyte, readerCpuSecondsPerGibibyte);
    }

    /** The result as a line of text. */
    public String line() {
        return String.format(
                Locale.ROOT,
                "%-20s %7.1f GiB %8.2f GiB/s %8.3f CPU s/GiB on the server, %6.3f on the reader (compilers: %.1f s in all)",
                plan.name(),
                gibibytes,
                gibibytesPerSecond,
                cpuSecondsPerGibibyte,
                readerCpuSecondsPerGibibyte,
                compilerSeconds);
    }

    /** The result as the entry of a run in a result file. */
    public Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("server", plan.server().name().toLowerCase(Locale.ROOT));
        json.put("tier", plan.tier().name().toLowerCase(Locale.ROOT));
        json.put("transport", plan.transport().name().toLowerCase(Locale.ROOT));
        json.put("range_bytes", plan.rangeBytes());
        json.put("readers", plan.readers());
        json.put("gib", gibibytes);
        json.put("gib_per_second", gibibytesPerSecond);
        json.put("server_cpu_seconds_per_gib", cpuSecondsPerGibibyte);
        json.put("reader_cpu_seconds_per_gib", readerCpuSecondsPerGibibyte);
        json.put("server_compiler_cpu_seconds", compilerSeconds);
        return json;
    }
}
