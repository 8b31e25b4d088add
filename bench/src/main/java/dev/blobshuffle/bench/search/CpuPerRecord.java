package dev.blobshuffle.bench.search;

import dev.blobshuffle.bench.report.Spread;
import dev.blobshuffle.bench.run.RunResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The CPU time of a record, by what ran and by load: it tells options apart on machines that are
 * too small for their demand to differ. Microseconds of application and brokers, compilers left
 * out. Owned by one thread.
 */
public final class CpuPerRecord {
    private static final double MICROS = 1e6;

    private final Map<String, Map<Long, List<Double>>> measured = new LinkedHashMap<>();

    /** Adds runs of one load. Runs with wrong output do not count. */
    public void add(String what, long load, List<RunResult> runs) {
        List<Double> times = measured.computeIfAbsent(what, name -> new LinkedHashMap<>())
                .computeIfAbsent(load, some -> new ArrayList<>());
        runs.stream().filter(RunResult::verified).forEach(run -> times.add(micros(run)));
    }

    private static double micros(RunResult run) {
        double seconds =
                run.window().application().work() + run.window().brokers().work();
        return MICROS * seconds / Math.max(1, run.window().records());
    }

    /** A line for each that ran: medians, and the least and most of several. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        measured.forEach((what, loads) -> {
            StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-36s", what));
            loads.forEach((load, times) -> {
                Spread spread = Spread.of(times);
                line.append(
                        times.isEmpty()
                                ? String.format(Locale.ROOT, "  %d: none", load)
                                : String.format(
                                        Locale.ROOT,
                                        "  %d: %.0f (%.0f-%.0f)",
                                        load,
                                        spread.median(),
                                        spread.min(),
                                        spread.max()));
            });
            lines.add(line.toString());
        });
        return lines;
    }
}
