package dev.blobshuffle.simulator.trial;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The adaptive mode next to fixed settings.
 *
 * @param targetSeconds the latency to meet
 * @param adaptive the result of the adaptive mode
 * @param fixed the results of the fixed settings
 */
public record BatchedTable(double targetSeconds, BatchedResult adaptive, List<BatchedResult> fixed) {
    /** Copies the list. */
    public BatchedTable {
        fixed = List.copyOf(fixed);
    }

    /** The fixed setting that meets the target at the lowest price. Empty if none meets it. */
    public Optional<BatchedResult> best() {
        return fixed.stream()
                .filter(result -> result.meets(targetSeconds))
                .min(Comparator.comparingDouble(result -> result.requests()
                        .map(BatchedResult.Requests::usdPerHour)
                        .orElse(Double.MAX_VALUE)));
    }

    /**
     * The adaptive mode's price divided by the best fixed setting's. Empty if no fixed setting
     * meets the target.
     */
    public Optional<Double> priceRatio() {
        return best().flatMap(BatchedResult::requests)
                .flatMap(cheapest -> adaptive.requests().map(own -> own.usdPerHour() / cheapest.usdPerHour()));
    }

    /** A table in Markdown. */
    public String markdown() {
        StringBuilder text =
                new StringBuilder("| setting | requests, USD/h | PUT/s | GET/s | p95 s | worst p95 of 10 s |"
                        + " intervals within the target |\n|---|---|---|---|---|---|---|\n");
        Stream.concat(Stream.of(adaptive), fixed.stream()).forEach(result -> text.append(row(result)));
        return text.toString();
    }

    private String row(BatchedResult result) {
        String name = result.batched().name();
        return result.requests()
                .map(requests -> String.format(
                        Locale.ROOT,
                        "| %s | %.3f | %.2f | %.2f | %.2f | %.2f | %s |%n",
                        name,
                        requests.usdPerHour(),
                        requests.puts(),
                        requests.gets(),
                        requests.p95(),
                        result.worst(),
                        within(result)))
                .orElseGet(() -> String.format(Locale.ROOT, "| %s | | | | | %.2f | no |%n", name, result.worst()));
    }

    private String within(BatchedResult result) {
        long met =
                result.intervals().stream().filter(p95 -> p95 <= targetSeconds).count();
        int all = result.intervals().size();
        return met == all ? "all " + all : met + " of " + all;
    }
}
