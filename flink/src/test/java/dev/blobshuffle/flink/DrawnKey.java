package dev.blobshuffle.flink;

import java.math.BigInteger;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.types.Row;

/**
 * What a drawn shuffle takes for the key of an item: its number, as a value of some type.
 *
 * @param name of the type
 * @param type of the keys
 */
record DrawnKey<K>(String name, KeySelector<Item, K> selector, TypeInformation<K> type) {
    DrawnKey {
        selector = new Typed<>(selector, type);
    }

    /** A selector that names its type. Flink asks it for joins. */
    private record Typed<K>(KeySelector<Item, K> selector, TypeInformation<K> type)
            implements KeySelector<Item, K>, ResultTypeQueryable<K> {
        @Override
        public K getKey(Item item) throws Exception {
            return selector.getKey(item);
        }

        @Override
        public TypeInformation<K> getProducedType() {
            return type;
        }
    }

    private static final List<DrawnKey<?>> ALL = List.of(
            new DrawnKey<>("long", item -> item.key, Types.LONG),
            new DrawnKey<>("int", item -> (int) item.key, Types.INT),
            new DrawnKey<>("string", item -> "é" + item.key, Types.STRING),
            new DrawnKey<>(
                    "tuple",
                    item -> Tuple2.of(item.key == 0 ? "" : "k", item.key),
                    Types.TUPLE(Types.STRING, Types.LONG)),
            new DrawnKey<>("POJO", item -> new Pair(item.key >> 2, item.key & 3), Types.POJO(Pair.class)),
            new DrawnKey<>("row", item -> Row.of(null, item.key), Types.ROW(Types.STRING, Types.LONG)),
            new DrawnKey<>("big integer", item -> BigInteger.valueOf(item.key).shiftLeft(70), Types.BIG_INT),
            new DrawnKey<>("Kryo", item -> new UUID(item.key, 1), new GenericTypeInfo<>(UUID.class)));

    static DrawnKey<?> draw(Random random) {
        return ALL.get(random.nextInt(ALL.size()));
    }

    /** A key with two fields. */
    public static final class Pair {
        /** The upper bits. */
        public long high;

        /** The lower bits. */
        public long low;

        /** For Flink's serializer. */
        public Pair() {}

        Pair(long high, long low) {
            this.high = high;
            this.low = low;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Pair pair && pair.high == high && pair.low == low;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(high * 31 + low);
        }

        @Override
        public String toString() {
            return high + "/" + low;
        }
    }
}
