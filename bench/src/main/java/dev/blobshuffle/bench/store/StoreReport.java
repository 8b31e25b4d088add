package dev.blobshuffle.bench.store;

import dev.blobshuffle.bench.report.Rounds;
import dev.blobshuffle.bench.report.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The runs of all cells. The repetitions are {@link Rounds}.
 *
 * @param results all runs
 */
public record StoreReport(List<StoreResult> results) {
    /** From this blob size on, bytes and not requests determine the cost of a client. */
    private static final int LARGE_MEBIBYTES = 8;

    /** Copies the list. */
    public StoreReport {
        results = List.copyOf(results);
    }

    /** Whether every blob was read back unchanged. */
    public boolean isVerified() {
        return results.stream().allMatch(StoreResult::verified);
    }

    private List<TransferCell> cells() {
        LinkedHashSet<TransferCell> cells = new LinkedHashSet<>();
        results.forEach(result -> cells.add(result.cell()));
        return List.copyOf(cells);
    }

    /** The results as text, a line for each cell. */
    public String table() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%-6s %-4s %4s %5s  %9s %9s  %9s %9s %6s  %9s %9s%n",
                "",
                "",
                "MiB",
                "conc.",
                "MB/s",
                "floor",
                "CPU-s/GiB",
                "floor",
                "ratio",
                "alloc B/B",
                "requests"));
        for (TransferCell cell : cells()) {
            text.append(String.format(
                    Locale.ROOT,
                    "%-6s %-4s %4d %5d  %9.0f %9.0f  %9.2f %9.2f %6.2f  %9.2f %9.2f%n",
                    cell.transport(),
                    cell.direction(),
                    cell.mebibytes(),
                    cell.concurrency(),
                    median(cell, false, StoreResult::megabytesPerSecond),
                    median(cell, true, StoreResult::megabytesPerSecond),
                    median(cell, false, StoreResult::cpuPerGibibyte),
                    median(cell, true, StoreResult::cpuPerGibibyte),
                    cpuRatio(cell),
                    median(cell, false, StoreResult::allocatedPerByte),
                    median(cell, false, StoreResult::requestsPerBlob)));
        }
        return text.toString().replace("NaN", "  -");
    }

    /**
     * The ratio of the store to the floor for large blobs: one line per transport and direction.
     */
    public String summary() {
        Map<String, List<Double>> ratios = new LinkedHashMap<>();
        for (TransferCell cell : cells()) {
            if (cell.mebibytes() >= LARGE_MEBIBYTES && !Double.isNaN(cpuRatio(cell))) {
                ratios.computeIfAbsent(cell.transport() + " " + cell.direction(), name -> new ArrayList<>())
                        .add(cpuRatio(cell));
            }
        }
        StringBuilder text = new StringBuilder();
        ratios.forEach((name, list) -> text.append(String.format(
                Locale.ROOT,
                "%s, %d MiB and more: CPU per byte %.2f x the floor (%.2f to %.2f)%n",
                name,
                LARGE_MEBIBYTES,
                Spread.of(list).median(),
                Spread.of(list).min(),
                Spread.of(list).max())));
        return text.toString();
    }

    /** The report as JSON: {@code cells} and {@code runs}. */
    public Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        List<Map<String, Object>> cells = new ArrayList<>();
        for (TransferCell cell : cells()) {
            Map<String, Object> numbers = new LinkedHashMap<>();
            numbers.put("transport", cell.transport());
            numbers.put("operation", cell.direction().name().toLowerCase(Locale.ROOT));
            numbers.put("blob_mebibytes", cell.mebibytes());
            numbers.put("concurrency", cell.concurrency());
            numbers.put("megabytes_per_second", median(cell, false, StoreResult::megabytesPerSecond));
            numbers.put("cpu_seconds_per_gib", median(cell, false, StoreResult::cpuPerGibibyte));
            numbers.put("floor_megabytes_per_second", median(cell, true, StoreResult::megabytesPerSecond));
            numbers.put("floor_cpu_seconds_per_gib", median(cell, true, StoreResult::cpuPerGibibyte));
            numbers.put("cpu_ratio_to_floor", cpuRatio(cell));
            numbers.put("allocated_bytes_per_byte", median(cell, false, StoreResult::allocatedPerByte));
            numbers.put("requests_per_blob", median(cell, false, StoreResult::requestsPerBlob));
            cells.add(numbers);
        }
        json.put("cells", cells);
        json.put("runs", results.stream().map(StoreResult::asJson).toList());
        return json;
    }

    private double median(TransferCell cell, boolean isBare, ToDoubleFunction<StoreResult> number) {
        return of(cell, isBare).median(number);
    }

    private Rounds<StoreResult> of(TransferCell cell, boolean isBare) {
        return new Rounds<>(results, StoreResult::repetition)
                .where(result -> result.cell().equals(cell) && result.isBare() == isBare);
    }

    double cpuRatio(TransferCell cell) {
        return of(cell, false)
                .ratio(of(cell, true), StoreResult::cpuPerGibibyte)
                .median();
    }
}
