package dev.blobshuffle.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The difference of two result files, number by number. A change counts only if the ranges of the
 * repetitions do not overlap.
 *
 * @param changes all numbers that are in both files
 */
public record ResultDiff(List<Change> changes) {
    /**
     * One number of one subject.
     *
     * @param subject workload, variant and varied values
     * @param number its place in the JSON
     * @param before in the first file
     * @param after in the second file
     */
    public record Change(String subject, String number, Spread before, Spread after) {
        private double factor() {
            return after.median() / before.median();
        }

        private boolean isClear() {
            return after.min() > before.max() || after.max() < before.min();
        }

        /** The deterioration in percent; 0 or less if there is none, or no clear one. */
        public double worseByPercent() {
            if (!isClear()) {
                return 0;
            }
            boolean isMoreBetter = number.startsWith("/throughput");
            return 100 * (isMoreBetter ? 1 / factor() - 1 : factor() - 1);
        }
    }

    /** Copies the list. */
    public ResultDiff {
        changes = List.copyOf(changes);
    }

    /** Compares two files. */
    public static ResultDiff of(ResultFile before, ResultFile after) {
        List<Change> changes = new ArrayList<>();
        for (String subject : before.runs().keySet()) {
            for (String number : ResultFile.NUMBERS) {
                Spread one = before.spread(subject, number);
                Spread other = after.spread(subject, number);
                if (Double.isFinite(one.median()) && Double.isFinite(other.median()) && one.median() != 0) {
                    changes.add(new Change(subject, number, one, other));
                }
            }
        }
        return new ResultDiff(changes);
    }

    /** The changes that are clear and worse by more than a percentage. */
    public List<Change> worseBy(double percent) {
        return changes.stream()
                .filter(change -> change.worseByPercent() > percent)
                .toList();
    }

    /** The numbers as JSON: {@code changes}. */
    public Map<String, Object> asJson() {
        List<Map<String, Object>> all = new ArrayList<>();
        for (Change change : changes) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("subject", change.subject);
            json.put("number", change.number.substring(1).replace('/', '.'));
            json.put("before", change.before.asJson());
            json.put("after", change.after.asJson());
            json.put("factor", change.factor());
            json.put("is_clear", change.isClear());
            all.add(json);
        }
        return Map.of("changes", all);
    }

    /** The differences as text, a line for each number. */
    public String table() {
        StringBuilder text = new StringBuilder();
        String last = "";
        for (Change change : changes) {
            if (!change.subject.equals(last)) {
                text.append(String.format("%-42s %-42s %-42s%n", change.subject, "before", "after"));
                last = change.subject;
            }
            text.append(String.format(
                    Locale.ROOT,
                    "  %-40s %-42s %-42s x %.3f%s%n",
                    change.number.substring(1).replace('/', '.'),
                    text(change.before),
                    text(change.after),
                    change.factor(),
                    change.isClear() ? "  *" : ""));
        }
        return text.append("* the repetitions of the two do not overlap\n").toString();
    }

    /** The median, and the range of the repetitions. */
    private static String text(Spread spread) {
        return spread.min() < spread.max()
                ? number(spread.median()) + " (" + number(spread.min()) + " to " + number(spread.max()) + ")"
                : number(spread.median());
    }

    /**
     * Formats a number with four digits, or all before the point: 123,456,789 rather than a power
     * of ten.
     */
    private static String number(double number) {
        int places = (int) Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(Math.abs(number)))));
        return number == 0 ? "0" : String.format(Locale.ROOT, "%,." + places + "f", number);
    }
}
