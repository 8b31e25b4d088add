package dev.blobshuffle.flink;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A record of drawn jobs. Operators make a new one and leave theirs as it is. */
public class Item {
    /** Its group. */
    public long key;

    /** A summand. */
    public long value;

    /** Its event time, milliseconds. */
    public long time;

    /** Null in a part of the items. */
    public @Nullable String text;

    /** For Flink's serializer. */
    public Item() {}

    Item(long key, long value, long time, @Nullable String text) {
        this.key = key;
        this.value = value;
        this.time = time;
        this.text = text;
    }

    /** A number that says everything about it. */
    long digest() {
        return 31 * (31 * (31 * key + value) + time) + Objects.hashCode(text);
    }

    @Override
    public String toString() {
        String shown = text == null || text.length() < 100 ? text : text.length() + "x" + text.hashCode();
        return key + " " + value + " " + time + " " + shown;
    }

    /** An item of another class in the same stream. */
    public static final class Special extends Item {
        /** What the other class lacks. */
        public double weight;

        /** For Flink's serializer. */
        public Special() {}

        Special(Item item, double weight) {
            super(item.key, item.value, item.time, item.text);
            this.weight = weight;
        }

        @Override
        long digest() {
            return 31 * super.digest() + Double.hashCode(weight);
        }
    }
}
