package dev.blobshuffle.cli.bench;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What one run measured between its warm-up and its end.
 *
 * @param variant what ran
 * @param repetition the block of runs that it belongs to, from 0
 * @param seconds time on the clock
 * @param records records shuffled
 * @param gibibytes bytes of their values
 * @param application CPU time of the instances
 * @param brokers CPU time of the brokers
 * @param verified whether the run as a whole shuffled exactly its input
 */
record RunResult(
        Variant variant,
        int repetition,
        double seconds,
        long records,
        double gibibytes,
        CpuTime application,
        CpuTime brokers,
        boolean verified) {
    double recordsPerSecond() {
        return records / seconds;
    }

    /** CPU seconds per GiB of the application, compilers left out. */
    double applicationCpu() {
        return (application.total() - application.compilers()) / gibibytes;
    }

    /** CPU seconds per GiB of the brokers, compilers left out. */
    double brokerCpu() {
        return (brokers.total() - brokers.compilers()) / gibibytes;
    }

    /** CPU seconds per GiB of everything, compilers left out. */
    double allCpu() {
        return applicationCpu() + brokerCpu();
    }

    /** CPU seconds per GiB of all compilers. */
    double compilerCpu() {
        return (application.compilers() + brokers.compilers()) / gibibytes;
    }

    /** CPU seconds per GiB of everything, compilers included. */
    double allCpuWithCompilers() {
        return allCpu() + compilerCpu();
    }

    Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("variant", variant.label());
        json.put("repetition", repetition);
        json.put("seconds", seconds);
        json.put("records", records);
        json.put("gibibytes", gibibytes);
        json.put("records_per_second", recordsPerSecond());
        Map<String, Object> cpu = new LinkedHashMap<>();
        cpu.put("application", applicationCpu());
        cpu.put("brokers", brokerCpu());
        cpu.put("all", allCpu());
        cpu.put("compilers", compilerCpu());
        json.put("cpu_seconds_per_gib", cpu);
        json.put("application_threads_cpu_seconds", application.threads());
        json.put("brokers_threads_cpu_seconds", brokers.threads());
        json.put("verified", verified);
        return json;
    }
}
