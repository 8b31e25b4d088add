package dev.blobshuffle.cli.status;

import dev.blobshuffle.cli.messaging.Shown;
import dev.blobshuffle.kafka.internal.membership.MembershipScan;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A status as text. Stateless. */
final class StatusText {
    private static final int LONGEST_LIST = 5;

    private StatusText() {}

    /**
     * Lines of text.
     *
     * @param zones number of zones for the cost estimate
     * @param rows most lines; omits the partitions with the least lag
     */
    static String of(Status status, int zones, int rows) {
        List<String> lines = new ArrayList<>();
        lines.add("application " + Shown.text(status.application()) + "  "
                + Instant.ofEpochMilli(status.atMillis()).truncatedTo(ChronoUnit.SECONDS));
        lines.add(total(status));
        lines.addAll(members(status));
        status.store().ifPresent(store -> lines.addAll(store(store, zones)));
        status.notes().forEach(note -> lines.add(Shown.text(note)));
        if (!status.lags().isEmpty()) {
            lines.add("");
            lines.addAll(partitions(status, rows - lines.size()));
        }
        return String.join("\n", lines) + "\n";
    }

    private static String total(Status status) {
        long records = status.lags().stream().mapToLong(PartitionLag::records).sum();
        long notifications =
                status.lags().stream().mapToLong(PartitionLag::notifications).sum();
        long behind = status.lags().stream()
                .mapToLong(lag -> lag.behindMillis(status.atMillis()))
                .max()
                .orElse(0);
        boolean isCut = status.lags().stream().anyMatch(PartitionLag::isCut);
        return "lag         " + (isCut ? "at least " : "") + Shown.count(records, "record") + " in "
                + Shown.count(notifications, "notification") + ", " + (isCut ? "at least " : "") + age(behind)
                + " behind; " + Shown.count(status.lags().size(), "partition");
    }

    private static List<String> members(Status status) {
        if (status.members().isEmpty()) {
            return List.of();
        }
        List<MembershipScan.Seen> all = status.members().get();
        Map<String, Long> byZone = all.stream()
                .filter(member -> !member.isSilent(status.atMillis()))
                .collect(Collectors.groupingBy(member -> member.zone().name(), TreeMap::new, Collectors.counting()));
        List<String> lines = new ArrayList<>();
        lines.add("members     "
                + (byZone.isEmpty()
                        ? "none"
                        : byZone.entrySet().stream()
                                .map(zone -> Shown.text(zone.getKey()) + ": " + zone.getValue())
                                .collect(Collectors.joining(", "))));
        lines.addAll(combining(status, all));
        List<MembershipScan.Seen> silent = all.stream()
                .filter(member -> member.isSilent(status.atMillis()))
                .toList();
        if (!silent.isEmpty()) {
            lines.add("silent      " + Shown.count(silent.size(), "member") + ": "
                    + silent.stream()
                            .limit(LONGEST_LIST)
                            .map(member -> "%016x".formatted(member.id()) + " (zone "
                                    + Shown.text(member.zone().name()) + ", "
                                    + age(status.atMillis() - member.heardMillis()) + ")")
                            .collect(Collectors.joining(", "))
                    + (silent.size() > LONGEST_LIST ? ", …" : ""));
        }
        return lines;
    }

    /** How many members combine their blobs, and why others do not; nothing if none reports it. */
    private static List<String> combining(Status status, List<MembershipScan.Seen> all) {
        Map<String, Long> byWords = all.stream()
                .filter(member -> !member.isSilent(status.atMillis()))
                .flatMap(member -> member.combining().stream())
                .collect(Collectors.groupingBy(Shown::text, TreeMap::new, Collectors.counting()));
        return byWords.isEmpty()
                ? List.of()
                : List.of("combining   "
                        + byWords.entrySet().stream()
                                .map(words -> words.getKey() + ": " + words.getValue())
                                .collect(Collectors.joining(", ")));
    }

    private static List<String> store(StoreState store, int zones) {
        List<String> lines = new ArrayList<>();
        lines.add("store       " + Shown.text(store.location()) + ", all applications that use it");
        String oldest = store.oldestMillis()
                .map(at -> ", the oldest " + (store.isCut() ? "listed " : "") + "from " + Instant.ofEpochMilli(at))
                .orElse("");
        lines.add("blobs       " + (store.isCut() ? "more than " : "") + store.blobs() + ", about "
                + Shown.bytes(store.bytes()) + oldest);
        lines.add("cost        "
                + store.cost(zones)
                        .map(cost -> text(
                                "about %s USD an hour: puts %s, gets %s (if %d zones read), stored bytes %s",
                                usd(cost.total()), usd(cost.puts()), usd(cost.gets()), zones, usd(cost.stored())))
                        .orElse("no prices are known for this store (--prices)"));
        lines.add(text(
                "rate        %.0f blobs an hour, counted over %s",
                store.blobsPerHour(), Shown.count(store.recentMinutes(), "minute")));
        return lines;
    }

    private static List<String> partitions(Status status, int rows) {
        List<PartitionLag> shown = status.lags();
        int most = Math.max(1, rows - 2);
        boolean isShort = shown.size() > most;
        if (isShort) {
            shown = shown.stream()
                    .sorted(Comparator.comparingLong(PartitionLag::records)
                            .thenComparing(lag -> lag.behindMillis(status.atMillis()))
                            .reversed())
                    .limit(most)
                    .toList();
        }
        List<List<String>> cells = new ArrayList<>();
        cells.add(List.of(
                "TOPIC", "PARTITION", "COMMITTED", "END", "RECORDS", "NOTIFICATIONS", "BYTES", "BEHIND", "ZONE"));
        shown.forEach(lag -> cells.add(cells(status, lag)));
        List<String> lines = new ArrayList<>(Shown.table(cells).lines().toList());
        if (isShort) {
            lines.add("… and " + Shown.count(status.lags().size() - (long) most, "partition") + " with less lag");
        }
        return lines;
    }

    private static List<String> cells(Status status, PartitionLag lag) {
        String more = lag.isCut() ? ">" : "";
        List<String> zones = StatusJson.zonesOf(status, lag);
        return List.of(
                Shown.text(lag.partition().topic()),
                String.valueOf(lag.partition().partition()),
                lag.committed().map(String::valueOf).orElse("-"),
                String.valueOf(lag.end()),
                more + lag.records(),
                more + lag.notifications(),
                more + Shown.bytes(lag.bytes()),
                lag.oldestMillis().isEmpty() ? "-" : more + age(lag.behindMillis(status.atMillis())),
                zones.isEmpty() ? "-" : Shown.text(String.join(",", zones)));
    }

    private static String age(long millis) {
        Duration age = Duration.ofMillis(Math.max(0, millis));
        if (age.toDays() > 1) {
            return age.toDays() + "d";
        }
        return age.toHours() > 1
                ? age.toHours() + "h"
                : age.toMinutes() > 1 ? age.toMinutes() + "m" : age.toSeconds() + "s";
    }

    private static String usd(double amount) {
        return text(amount >= 0.1 ? "%,.2f" : "%.5f", amount);
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
