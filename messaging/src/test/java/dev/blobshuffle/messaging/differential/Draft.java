package dev.blobshuffle.messaging.differential;

import dev.blobshuffle.messaging.Header;
import dev.blobshuffle.messaging.OutgoingRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A record that a program publishes.
 *
 * @param partition null: by the key
 * @param keySize null: no key
 * @param valueSize null: no value
 * @param headers number of headers
 */
record Draft(
        @Nullable Integer partition,
        @Nullable Integer keySize,
        @Nullable Integer valueSize,
        int headers,
        Time time) {
    /** A partition that no topic has. */
    static final int MISSING = 100;

    /** The last partition of the topic. */
    static final int NEWEST = 101;

    private static final List<String> HEADERS = List.of("trace", "", "\u00e9\ud83c\udf89");

    /** The timestamp of a record. */
    enum Time {
        NOW(OptionalLong.empty()),
        EPOCH(OptionalLong.of(0)),
        BEFORE(OptionalLong.of(-1)),
        LONG_AGO(OptionalLong.of(1_000_000_000_000L)),
        FAR(OptionalLong.of(100_000_000_000_000L)),
        LEAST(OptionalLong.of(Long.MIN_VALUE)),
        MOST(OptionalLong.of(Long.MAX_VALUE));

        final OptionalLong millis;

        Time(OptionalLong millis) {
            this.millis = millis;
        }
    }

    byte @Nullable [] key(int number) {
        if (keySize == null) {
            return null;
        }
        byte[] key = new byte[keySize];
        Arrays.fill(key, (byte) (number % 3 + 0x7e));
        return key;
    }

    /** Begins with the record's number. */
    byte @Nullable [] value(int number) {
        if (valueSize == null) {
            return null;
        }
        byte[] value = new byte[valueSize];
        Arrays.fill(value, (byte) number);
        byte[] text = ("#" + number + " ").getBytes(StandardCharsets.UTF_8);
        System.arraycopy(text, 0, value, 0, Math.min(text.length, value.length));
        return value;
    }

    List<Header> headers(int number) {
        List<Header> all = new ArrayList<>();
        for (int i = 0; i < headers; i++) {
            byte[] value = i == 1 ? null : new byte[i];
            all.add(new Header(HEADERS.get((i + number) % HEADERS.size()), value));
        }
        return all;
    }

    OutgoingRecord<byte[], byte[]> record(String topic, int number, OptionalInt chosen) {
        return new OutgoingRecord<>(topic, chosen, time.millis, key(number), value(number), headers(number));
    }
}
