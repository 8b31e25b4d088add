package dev.blobshuffle.arrow;

import dev.blobshuffle.flight.KeyPartitions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.Decimal256Vector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.ExtensionTypeVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.FloatingPointVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.VariableWidthFieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.RunEndEncodedVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.ArrowType.ExtensionType;
import org.jspecify.annotations.Nullable;

/**
 * The key columns of a batch. They place each row in the partition where the Python package places
 * it, as {@link KeyPartitions} does for single values. A vector's own objects are not always the
 * values of the format: {@code DateDayVector} returns a number of days. Owned by the thread that
 * fills the batch.
 */
public final class ArrowKeys {
    private static final String TRUTH = "arrow.bool8";

    private final KeyPartitions partitions;
    private final List<Column> columns = new ArrayList<>();
    private final List<@Nullable Object> key = new ArrayList<>();

    private ArrowKeys(int partitions) {
        this.partitions = new KeyPartitions(partitions);
    }

    /**
     * The keys of all batches that {@code root} will hold.
     *
     * @param dictionaries those of the root's batches; they may change from batch to batch
     * @param names the key columns, in order
     * @param partitions the number of partitions
     * @throws IllegalArgumentException fatal: there is no name, no such column, a column of a type
     *     without a hash, or no partition
     */
    public static ArrowKeys of(
            VectorSchemaRoot root, DictionaryProvider dictionaries, List<String> names, int partitions) {
        ArrowKeys keys = new ArrowKeys(partitions);
        if (names.isEmpty()) {
            throw new IllegalArgumentException("Cannot find a key without columns: name at least one.");
        }
        for (String name : names) {
            FieldVector vector = root.getVector(name);
            if (vector == null) {
                throw new IllegalArgumentException("Cannot partition by '" + name + "': the columns are "
                        + root.getSchema().getFields().stream()
                                .map(field -> field.getName())
                                .toList() + ".");
            }
            keys.columns.add(column(vector, dictionaries));
        }
        return keys;
    }

    /** The partition of a row of the batch that is in the root now. */
    public int partition(int row) {
        key.clear();
        for (Column column : columns) {
            key.add(column.value(row));
        }
        return partitions.of(key);
    }

    /** Values of a column, in the types of {@link KeyPartitions}. */
    private interface Column {
        @Nullable
        Object value(int row);
    }

    private static Column column(FieldVector vector, DictionaryProvider dictionaries) {
        if (vector.getField().getDictionary() != null) {
            return new Encoded((BaseIntVector) vector, dictionaries);
        } else if (vector instanceof RunEndEncodedVector runs) {
            Column values = column(runs.getValuesVector(), dictionaries);
            return row -> values.value(runs.getPhysicalIndex(row));
        } else if (vector instanceof NullVector) {
            return row -> null;
        } else if (vector instanceof ExtensionTypeVector<?> typed) {
            ExtensionType type = (ExtensionType) vector.getField().getType();
            FieldVector storage = typed.getUnderlyingVector();
            return type.extensionName().equals(TRUTH) ? truth((BaseIntVector) storage) : column(storage, dictionaries);
        }
        String extension = vector.getField().getMetadata().get(ExtensionType.EXTENSION_METADATA_KEY_NAME);
        return TRUTH.equals(extension) ? truth((BaseIntVector) vector) : plain(vector);
    }

    private static Column truth(BaseIntVector vector) {
        return row -> vector.isNull(row) ? null : vector.getValueAsLong(row) != 0;
    }

    private static Column plain(FieldVector vector) {
        Column values;
        if (vector instanceof BitVector bits) {
            values = row -> bits.get(row) == 1;
        } else if (vector instanceof BaseIntVector integers) {
            values = integers::getValueAsLong;
        } else if (vector instanceof FloatingPointVector floats) {
            values = floats::getValueAsDouble;
        } else if (vector instanceof DecimalVector || vector instanceof Decimal256Vector) {
            values = vector::getObject;
        } else if (vector instanceof VariableWidthFieldVector bytes) {
            values = bytes::get;
        } else if (vector instanceof FixedSizeBinaryVector bytes) {
            values = bytes::get;
        } else {
            values = time(vector);
        }
        return row -> vector.isNull(row) ? null : values.value(row);
    }

    /** Times as nanoseconds, which may overflow as the format says. */
    private static Column time(FieldVector vector) {
        ArrowType type = vector.getField().getType();
        if (type instanceof ArrowType.Date date) {
            return date.getUnit() == DateUnit.DAY
                    ? times(row -> vector.getDataBuffer().getInt((long) row * Integer.BYTES), TimeUnit.DAYS)
                    : longs(vector, TimeUnit.MILLISECONDS);
        } else if (type instanceof ArrowType.Time time) {
            return time.getBitWidth() == Integer.SIZE
                    ? times(row -> vector.getDataBuffer().getInt((long) row * Integer.BYTES), unit(time.getUnit()))
                    : longs(vector, unit(time.getUnit()));
        } else if (type instanceof ArrowType.Timestamp timestamp) {
            return longs(vector, unit(timestamp.getUnit()));
        } else if (type instanceof ArrowType.Duration duration) {
            return longs(vector, unit(duration.getUnit()));
        }
        throw new IllegalArgumentException("Cannot partition by '" + vector.getName() + "' of type " + type
                + ": it has no hash. Name columns of numbers, strings, binary, booleans or times.");
    }

    private static Column longs(FieldVector vector, TimeUnit unit) {
        return times(row -> vector.getDataBuffer().getLong((long) row * Long.BYTES), unit);
    }

    private static Column times(IntToLongFunction values, TimeUnit unit) {
        long nanoseconds = unit.toNanos(1);
        return row -> values.applyAsLong(row) * nanoseconds;
    }

    private static TimeUnit unit(org.apache.arrow.vector.types.TimeUnit unit) {
        return switch (unit) {
            case SECOND -> TimeUnit.SECONDS;
            case MILLISECOND -> TimeUnit.MILLISECONDS;
            case MICROSECOND -> TimeUnit.MICROSECONDS;
            case NANOSECOND -> TimeUnit.NANOSECONDS;
        };
    }

    /** Values of a dictionary, which may be another one for each batch. */
    private static final class Encoded implements Column {
        private final BaseIntVector indices;
        private final long id;
        private final DictionaryProvider dictionaries;

        private @Nullable FieldVector known;
        private Column values = row -> null;

        Encoded(BaseIntVector indices, DictionaryProvider dictionaries) {
            this.indices = indices;
            this.id = indices.getField().getDictionary().getId();
            this.dictionaries = dictionaries;
        }

        @Override
        public @Nullable Object value(int row) {
            if (indices.isNull(row)) {
                return null;
            }
            Dictionary dictionary = dictionaries.lookup(id);
            if (dictionary == null) {
                throw new IllegalArgumentException("Cannot partition by '" + indices.getName() + "': its dictionary "
                        + id + " is not there. Pass the dictionaries of the batch.");
            }
            if (dictionary.getVector() != known) {
                values = column(dictionary.getVector(), dictionaries);
                known = dictionary.getVector();
            }
            return values.value((int) indices.getValueAsLong(row));
        }
    }
}
