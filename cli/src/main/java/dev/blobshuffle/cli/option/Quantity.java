package dev.blobshuffle.cli.option;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses numbers with units from the command line. Each kind has one converter for all commands.
 * Stateless.
 */
public final class Quantity {
    private static final Pattern TEXT = Pattern.compile("(-?\\d{1,15}(?:\\.\\d{1,9})?) ?([a-zA-Z]*)");
    private static final Pattern BARE = Pattern.compile("-?\\d+(\\.\\d+)?");
    private static final Map<String, Double> BYTES = Map.ofEntries(
            Map.entry("", 1.0),
            Map.entry("b", 1.0),
            Map.entry("kib", 1024.0),
            Map.entry("mib", 1024.0 * 1024),
            Map.entry("gib", 1024.0 * 1024 * 1024),
            Map.entry("tib", 1024.0 * 1024 * 1024 * 1024),
            Map.entry("kb", 1e3),
            Map.entry("mb", 1e6),
            Map.entry("gb", 1e9),
            Map.entry("tb", 1e12));
    private static final Map<String, Double> SECONDS =
            Map.of("ms", 0.001, "s", 1.0, "min", 60.0, "m", 60.0, "h", 3600.0, "d", 86_400.0);

    /** Fits into a number of nanoseconds. */
    private static final double LONGEST_SECONDS = 100_000 * 86_400.0;

    /** Ambiguous units: {@code Mb} may mean bits. */
    private static final Pattern BITS = Pattern.compile("[KMGT]i?b");

    private Quantity() {}

    /** Whether a text is a number without a unit. */
    static boolean isBare(String text) {
        return BARE.matcher(text.strip()).matches();
    }

    /** Parses a number. The caller checks its range. */
    private static double read(String text, Map<String, Double> units, String form) {
        Matcher matcher = TEXT.matcher(text.strip());
        Double factor = matcher.matches() ? units.get(matcher.group(2).toLowerCase(Locale.ROOT)) : null;
        if (factor == null) {
            throw cannotRead(text, form);
        }
        if (BITS.matcher(matcher.group(2)).matches()) {
            throw cannotRead(text, form + ": a small b may mean bits");
        }
        return Double.parseDouble(matcher.group(1)) * factor;
    }

    private static TypeConversionException cannotRead(String text, String form) {
        String reason = isBare(text) ? ": it has no unit. Give " : ". Give ";
        return new TypeConversionException("Cannot read '" + text + "'" + reason + form + ".");
    }

    /** Bytes: {@code 1KiB}, {@code 100 MB}, {@code 512}. Averages may have fractions. */
    public static final class Bytes implements ITypeConverter<Double> {
        /** Created by the command line. */
        public Bytes() {}

        @Override
        public Double convert(String text) {
            return read(text, BYTES, "a size such as 512B, 1KiB or 16MiB");
        }
    }

    /** Bytes per second: {@code 1GiB/s}. */
    public static final class Rate implements ITypeConverter<Double> {
        /** Created by the command line. */
        public Rate() {}

        @Override
        public Double convert(String text) {
            String form = "a rate such as 1GiB/s, 100MiB/s or 5MB/s";
            String perSecond = text.strip();
            if (!perSecond.endsWith("/s") || isBare(perSecond.substring(0, perSecond.length() - 2))) {
                throw cannotRead(text, form);
            }
            return read(perSecond.substring(0, perSecond.length() - 2), BYTES, form);
        }
    }

    /** A time: {@code 500ms}, {@code 2s}, {@code 1h}. */
    public static final class Time implements ITypeConverter<Duration> {
        /** Created by the command line. */
        public Time() {}

        @Override
        public Duration convert(String text) {
            double seconds = read(text, SECONDS, "a time such as 500ms, 90s, 15m, 24h or 7d");
            if (seconds > LONGEST_SECONDS) {
                throw new TypeConversionException("Cannot read '" + text + "': give at most 100000d.");
            }
            return Duration.ofNanos((long) (seconds * 1e9));
        }
    }

    /**
     * The retention of a store: {@code needed}, or a time, as milliseconds in the form of
     * {@code blobshuffle.retention}.
     */
    public static final class Retention implements ITypeConverter<String> {
        /** Created by the command line. */
        public Retention() {}

        @Override
        public String convert(String text) {
            return text.equals("needed") || isBare(text)
                    ? text
                    : Long.toString(new Time().convert(text).toMillis());
        }
    }
}
