package dev.blobshuffle.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.zip.CRC32;
import org.apache.spark.Partitioner;
import org.apache.spark.api.java.Optional;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/** The keys and values of {@link DrawnProgram}, and what its tasks do with them. Stateless. */
final class DrawnValues {
    /** How many kinds of keys there are. */
    static final int KINDS = 4;

    private static final int LARGE = 20 << 20;

    private DrawnValues() {}

    /**
     * A number, a text, one of both, or a null; a third of the records has one key. Numbers have
     * one type: for Scala, an {@code Integer} equals a {@code Long}, and Spark would keep either.
     */
    static @Nullable Object key(int kind, int keys, int salt, int id) {
        long number = Math.floorMod(id % 3 == 0 ? 7 : new Random(31L * salt + id).nextInt(), keys);
        return switch (kind) {
            case 0 -> number;
            case 1 -> "key" + number;
            case 2 -> number % 2 == 0 ? Long.valueOf(number) : "key" + number;
            default -> number % 5 == 0 ? null : number;
        };
    }

    /** Of any type and length. */
    static @Nullable Object value(int salt, int id) {
        Random random = new Random(17L * salt + id);
        return switch (random.nextInt(6)) {
            case 0 -> null;
            case 1 -> random.nextLong();
            case 2 -> bytes(random, random.nextInt(3_000));
            case 3 -> new ArrayList<>(List.of("a", random.nextInt()));
            default -> "value".repeat(random.nextInt(20)) + random.nextInt();
        };
    }

    static Object large(int salt) {
        return bytes(new Random(salt), LARGE);
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    static String text(@Nullable Object value) {
        if (value instanceof byte[] bytes) {
            CRC32 checksum = new CRC32();
            checksum.update(bytes);
            return bytes.length + " bytes " + checksum.getValue();
        }
        if (value instanceof Tuple2<?, ?> pair) {
            return "(" + text(pair._1()) + ", " + text(pair._2()) + ")";
        }
        return value == null ? "null" : value.getClass().getSimpleName() + " " + value;
    }

    static long hash(@Nullable Object value) {
        long hash = 1;
        for (char each : text(value).toCharArray()) {
            hash = 31 * hash + each;
        }
        return Math.abs(hash >>> 8);
    }

    /** In any order and grouping, the same. */
    static Object sum(@Nullable Object one, @Nullable Object other) {
        return number(one) + number(other);
    }

    private static long number(@Nullable Object value) {
        return value instanceof Long number ? number : hash(value);
    }

    static Object bag(Iterable<?> values) {
        List<String> texts = new ArrayList<>();
        values.forEach(value -> texts.add(text(value)));
        Collections.sort(texts);
        return texts.size() + " of " + hash(texts.toString());
    }

    static Object joined(Tuple2<?, ?> sides) {
        return side(sides._1()) + " with " + side(sides._2());
    }

    private static String side(@Nullable Object side) {
        if (side instanceof Optional<?> optional) {
            return optional.isPresent() ? text(optional.get()) : "none";
        }
        return text(side);
    }

    static Iterator<String> sides(Iterator<?> left, Iterator<?> right) {
        return List.of(bag(() -> castOf(left)) + " beside " + bag(() -> castOf(right)))
                .iterator();
    }

    @SuppressWarnings("unchecked") // Nothing is put into it.
    private static Iterator<Object> castOf(Iterator<?> values) {
        return (Iterator<Object>) values;
    }

    static Iterator<Tuple2<Object, Object>> requireSorted(
            Iterator<Tuple2<Object, Object>> pairs, Comparator<Object> order) {
        List<Tuple2<Object, Object>> all = new ArrayList<>();
        pairs.forEachRemaining(pair -> {
            if (!all.isEmpty() && order.compare(all.get(all.size() - 1)._1(), pair._1()) > 0) {
                throw new IllegalStateException(text(pair) + " comes after " + text(all.get(all.size() - 1)));
            }
            all.add(pair);
        });
        return all.iterator();
    }

    /** A total order of keys of all types. */
    record Order(boolean isAscending) implements Comparator<Object>, Serializable {
        @Override
        public int compare(@Nullable Object one, @Nullable Object other) {
            int ascending = text(one).compareTo(text(other));
            return isAscending ? ascending : -ascending;
        }
    }

    /** Puts all keys into one partition, or most into the first. */
    static final class Skewed extends Partitioner {
        private static final long serialVersionUID = 1L;

        private final int partitions;
        private final boolean isOne;

        Skewed(int partitions, boolean isOne) {
            this.partitions = partitions;
            this.isOne = isOne;
        }

        @Override
        public int numPartitions() {
            return partitions;
        }

        @Override
        public int getPartition(@Nullable Object key) {
            long hash = hash(key);
            return isOne ? partitions - 1 : hash % 4 == 0 ? (int) (hash % partitions) : 0;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Skewed skewed && skewed.partitions == partitions && skewed.isOne == isOne;
        }

        @Override
        public int hashCode() {
            return Objects.hash(partitions, isOne);
        }
    }
}
