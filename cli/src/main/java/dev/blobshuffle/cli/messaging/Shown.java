package dev.blobshuffle.cli.messaging;

import dev.blobshuffle.log.internal.RetentionRule;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Formats names, times and tables for a terminal. Stateless. */
public final class Shown {
    private Shown() {}

    /**
     * A text on one line. Escapes control characters, line ends, and characters that change the
     * text direction.
     */
    public static String text(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            int type = Character.getType(c);
            if (Character.isISOControl(c)
                    || type == Character.FORMAT
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR
                    || type == Character.SURROGATE) {
                shown.append(
                        c < 0x10000
                                ? String.format(Locale.ROOT, "\\u%04x", c)
                                : String.format(Locale.ROOT, "\\U%08x", c));
            } else {
                shown.appendCodePoint(c);
            }
        });
        return shown.toString();
    }

    /** A number with its noun, in the plural unless the number is one. */
    public static String count(long count, String what) {
        return count + " " + what + (count == 1 ? "" : what.endsWith("ch") ? "es" : "s");
    }

    /** A time in its largest whole unit, in the form of the command line. */
    public static String time(Duration time) {
        long millis = time.toMillis();
        if (millis % 1000 != 0) {
            return millis + "ms";
        }
        long seconds = millis / 1000;
        if (seconds > 0 && seconds % 86_400 == 0) {
            return seconds / 86_400 + "d";
        }
        if (seconds > 0 && seconds % 3600 == 0) {
            return seconds / 3600 + "h";
        }
        return seconds > 0 && seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
    }

    /** A retention in the form of the option {@code --retention}. */
    public static String retention(RetentionRule rule) {
        if (rule instanceof RetentionRule.For limited) {
            return time(limited.time());
        }
        return rule instanceof RetentionRule.UntilConsumed consumed
                ? "consumed"
                        + consumed.abandoned().map(time -> ":" + time(time)).orElse("")
                : "forever";
    }

    /** A number of bytes in a suitable unit. */
    public static String bytes(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        String[] units = {"KiB", "MiB", "GiB", "TiB"};
        double amount = bytes / 1024.0;
        int unit = 0;
        while (amount >= 1024 && unit < units.length - 1) {
            amount /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, "%.1f %s", amount, units[unit]);
    }

    /** Rows in columns that are as wide as their longest cell. The first row is the header. */
    public static String table(List<List<String>> rows) {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder table = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String cell = row.get(i);
                line.append(cell).append(" ".repeat(widths[i] - cell.length() + 2));
            }
            table.append(line.toString().stripTrailing()).append('\n');
        }
        return table.toString();
    }
}
