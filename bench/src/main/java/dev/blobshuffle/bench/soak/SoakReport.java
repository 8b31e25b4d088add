package dev.blobshuffle.bench.soak;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The samples of a run and their evaluation. In the first half, tables fill, and the first blobs
 * reach the end of their retention. A relation has grown if it is larger in the last quarter than
 * in the third.
 *
 * @param samples in their order
 * @param faults problems with the received records; empty if there are none
 */
public record SoakReport(List<SoakSample> samples, List<String> faults) {
    /** Between two runs of vacuum a relation varies by less; one that always grew, by a third. */
    private static final double MOST_GROWTH = 1.15;

    private static final long LEAST_BYTES = 1 << 20;

    /** Relations that grew, and objects of the store, with their sizes. */
    public List<String> grown() {
        Map<String, Long> then = largest(quarter(2));
        List<String> grown = new ArrayList<>();
        largest(quarter(3)).forEach((name, now) -> {
            long before = then.getOrDefault(name, 0L);
            if (now > before * MOST_GROWTH && now - before > LEAST_BYTES) {
                grown.add("%s: %.1f MiB, then %.1f".formatted(name, mebibytes(before), mebibytes(now)));
            }
        });
        long blobsBefore = mostBlobs(quarter(2));
        long blobsNow = mostBlobs(quarter(3));
        if (blobsNow > blobsBefore * MOST_GROWTH) {
            grown.add("objects in the store: %d, then %d".formatted(blobsBefore, blobsNow));
        }
        return grown;
    }

    /** Whether all records arrived as expected. */
    public boolean isVerified() {
        return faults.isEmpty();
    }

    /** The relations' largest sizes in the third and the last quarter, and the verdict. */
    public String text() {
        StringBuilder text = new StringBuilder("%-32s%14s%14s%n".formatted("MiB", "third quarter", "last quarter"));
        Map<String, Long> then = largest(quarter(2));
        largest(quarter(3))
                .forEach((name, now) -> text.append(
                        "%-32s%14.2f%14.2f%n".formatted(name, mebibytes(then.getOrDefault(name, 0L)), mebibytes(now))));
        text.append("%-32s%14d%14d%n%n".formatted("objects", mostBlobs(quarter(2)), mostBlobs(quarter(3))));
        List<String> grown = grown();
        if (grown.isEmpty()) {
            text.append("Nothing grew.");
        } else {
            text.append("GREW: ").append(String.join("; ", grown)).append('.');
        }
        faults.forEach(
                fault -> text.append(System.lineSeparator()).append("WRONG: ").append(fault));
        return text.toString();
    }

    /** All samples, and the verdict. */
    public Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("grown", grown());
        json.put("faults", faults);
        json.put("samples", samples.stream().map(SoakSample::asJson).toList());
        return json;
    }

    private Stream<SoakSample> quarter(int number) {
        int length = samples.size() / 4;
        int from = number == 3 ? samples.size() - length : number * length;
        return samples.subList(from, from + length).stream();
    }

    private static long mostBlobs(Stream<SoakSample> quarter) {
        return quarter.mapToLong(SoakSample::blobs).max().orElse(0);
    }

    private static Map<String, Long> largest(Stream<SoakSample> quarter) {
        Map<String, Long> largest = new TreeMap<>();
        quarter.flatMap(sample -> sample.relations().stream())
                .forEach(relation -> largest.merge(relation.name(), relation.bytes(), Math::max));
        return largest;
    }

    private static double mebibytes(long bytes) {
        return bytes / (double) (1 << 20);
    }
}
