package dev.blobshuffle.flight;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Computes the partition of a key in a columnar shuffle: {@code docs/format.md}, "Partitions of
 * keys". The Python package places rows by the same function. A Java reader can thus find a key's
 * rows, and a Java writer places rows the same way. Thread-safe.
 *
 * <p>Equal keys have the same partition, whatever their types. Values are null, {@link Boolean},
 * {@link Byte}, {@link Short}, {@link Integer}, {@link Long}, {@link BigInteger}, {@link Float},
 * {@link Double}, {@link BigDecimal}, {@link String}, {@code byte[]}, {@link Instant},
 * {@link LocalDateTime} (a timestamp without a time zone), {@link LocalDate}, {@link LocalTime} and
 * {@link Duration}.
 */
public final class KeyPartitions {
    private static final long SEED = 0x9E3779B97F4A7C15L;
    private static final long FIRST = 0xBF58476D1CE4E5B9L;
    private static final long SECOND = 0x94D049BB133111EBL;
    private static final long NULL = 0x632BE59BD9B4E019L;
    private static final BigInteger LEAST = BigInteger.ONE.shiftLeft(63).negate();
    private static final BigInteger END = BigInteger.ONE.shiftLeft(64);

    private final int count;

    /**
     * The partitions of a shuffle.
     *
     * @param count the number of partitions
     * @throws IllegalArgumentException fatal: the number is not positive
     */
    public KeyPartitions(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("Cannot find keys in " + count + " partitions: there is at least one.");
        }
        this.count = count;
    }

    /**
     * The partition of a row's key.
     *
     * @param key the values of the key columns, in the order of the columns; a value may be null
     * @throws IllegalArgumentException fatal: the key has no value, or a value of a type without a
     *     hash
     */
    public int of(List<? extends @Nullable Object> key) {
        if (key.isEmpty()) {
            throw new IllegalArgumentException("Cannot find a key without values: give one for each key column.");
        }
        long row = SEED;
        for (Object value : key) {
            row = mix(row ^ hash(value));
        }
        return (int) ((row >>> 32) * count >>> 32);
    }

    static long hash(@Nullable Object value) {
        if (value == null) {
            return NULL;
        } else if (value instanceof Boolean truth) {
            return mix(truth ? 1 : 0);
        } else if (value instanceof Float || value instanceof Double) {
            return hash(((Number) value).doubleValue());
        } else if (value instanceof BigDecimal number) {
            return hash(number);
        } else if (value instanceof BigInteger number) {
            return hash(new BigDecimal(number));
        } else if (value instanceof Number number
                && (value instanceof Long
                        || value instanceof Integer
                        || value instanceof Short
                        || value instanceof Byte)) {
            return mix(number.longValue());
        } else if (value instanceof String text) {
            return hash(text.getBytes(StandardCharsets.UTF_8));
        } else if (value instanceof byte[] bytes) {
            return hash(bytes);
        }
        return mix(nanoseconds(value));
    }

    /**
     * The nanoseconds of a time. Equal times have equal nanoseconds, even if the number overflows.
     */
    private static long nanoseconds(Object value) {
        if (value instanceof Instant instant) {
            return TimeUnit.SECONDS.toNanos(1) * instant.getEpochSecond() + instant.getNano();
        } else if (value instanceof LocalDateTime local) {
            return nanoseconds(local.toInstant(ZoneOffset.UTC));
        } else if (value instanceof LocalDate date) {
            return TimeUnit.DAYS.toNanos(1) * date.toEpochDay();
        } else if (value instanceof LocalTime time) {
            return time.toNanoOfDay();
        } else if (value instanceof Duration duration) {
            return TimeUnit.SECONDS.toNanos(1) * duration.getSeconds() + duration.getNano();
        }
        throw new IllegalArgumentException("Cannot find a key of " + value.getClass()
                + ": it has no hash. Give numbers, strings, bytes, booleans or times.");
    }

    private static long hash(double value) {
        if (Double.isNaN(value)) {
            return NULL;
        }
        if (Double.isInfinite(value)) {
            return mix(Double.doubleToRawLongBits(value));
        }
        BigDecimal number = new BigDecimal(value);
        return isLong(number) ? mix(number.toBigInteger().longValue()) : mix(Double.doubleToRawLongBits(value));
    }

    private static long hash(BigDecimal number) {
        if (isLong(number)) {
            return mix(number.toBigInteger().longValue());
        }
        double near = number.doubleValue();
        if (!Double.isInfinite(near) && new BigDecimal(near).compareTo(number) == 0) {
            return mix(Double.doubleToRawLongBits(near));
        }
        return hash(number.stripTrailingZeros().toPlainString().getBytes(StandardCharsets.US_ASCII));
    }

    /** Whether a number is a 64-bit integer, signed or unsigned. */
    private static boolean isLong(BigDecimal number) {
        if (number.signum() != 0 && number.stripTrailingZeros().scale() > 0) {
            return false;
        }
        BigInteger integer = number.toBigInteger();
        return integer.compareTo(LEAST) >= 0 && integer.compareTo(END) < 0;
    }

    private static long hash(byte[] bytes) {
        long hash = mix(bytes.length);
        for (int at = 0; at < bytes.length; at += Long.BYTES) {
            long word = 0;
            for (int i = Math.min(bytes.length, at + Long.BYTES) - 1; i >= at; i--) {
                word = word << Byte.SIZE | Byte.toUnsignedLong(bytes[i]);
            }
            hash = mix(hash ^ word);
        }
        return hash;
    }

    private static long mix(long word) {
        long mixed = word + SEED;
        mixed = (mixed ^ mixed >>> 30) * FIRST;
        mixed = (mixed ^ mixed >>> 27) * SECOND;
        return mixed ^ mixed >>> 31;
    }
}
