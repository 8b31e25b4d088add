package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.format.record.Headers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The records that go through a schedule: known beforehand, so that each delivered one can be
 * compared to the byte. Immutable.
 */
final class Input {
    private static final int KEYS = 3;
    private static final int IDENTITY = 8;

    private final List<List<Row>> lanes = new ArrayList<>();

    /**
     * A record.
     *
     * @param lane the writer whose input it is
     * @param index its place in that input
     * @param key which of the writer's keys
     * @param keyIndex its place among the records of that key
     */
    @SuppressWarnings("ArrayRecordComponent") // Compared by matches.
    record Row(int lane, int index, int key, int keyIndex, int partition, byte[] value) {
        byte[] keyBytes() {
            return new byte[] {(byte) lane, (byte) key};
        }

        long timestamp() {
            return 1_000_000 + index * 7L % 13;
        }

        /** Every fifth record has a header. */
        Headers headers() {
            return index % 5 == 0 ? new OneHeader(value.length) : Headers.NONE;
        }

        /** Whether a delivered record is this one, to the byte. */
        boolean matches(long timestamp, byte @Nullable [] key, byte @Nullable [] delivered, Headers headers) {
            boolean sameHeaders = index % 5 == 0
                    ? headers.count() == 1
                            && headers.name(0).equals("length")
                            && Arrays.equals(headers.value(0), new OneHeader(value.length).value(0))
                    : headers.count() == 0;
            return timestamp == timestamp()
                    && Arrays.equals(key, keyBytes())
                    && Arrays.equals(delivered, value)
                    && sameHeaders;
        }
    }

    private record OneHeader(int length) implements Headers {
        @Override
        public int count() {
            return 1;
        }

        @Override
        public String name(int index) {
            return "length";
        }

        @Override
        public byte[] value(int index) {
            return String.valueOf(length).getBytes(StandardCharsets.UTF_8);
        }
    }

    /** The input of a schedule: sizes and keys by the seed. */
    Input(Schedule schedule, java.util.function.IntUnaryOperator random) {
        int count = schedule.instances() * schedule.writers();
        for (int lane = 0; lane < count; lane++) {
            int[] perKey = new int[KEYS];
            List<Row> rows = new ArrayList<>();
            for (int index = 0; index < schedule.records(); index++) {
                int key = random.applyAsInt(KEYS);
                int partition = (lane + key) % schedule.partitions();
                int length = IDENTITY + random.applyAsInt(random.applyAsInt(8) == 0 ? schedule.largest() : 60);
                byte[] value = new byte[length];
                Arrays.fill(value, (byte) (lane * 31 + index));
                ByteBuffer.wrap(value).putInt(lane).putInt(index);
                rows.add(new Row(lane, index, key, perKey[key]++, partition, value));
            }
            lanes.add(List.copyOf(rows));
        }
    }

    /** The records of one writer, in order. */
    List<Row> lane(int lane) {
        return lanes.get(lane);
    }

    int lanes() {
        return lanes.size();
    }

    /** The record that a delivered value claims to be; null when there is none. */
    @Nullable
    Row find(byte @Nullable [] value) {
        if (value == null || value.length < IDENTITY) {
            return null;
        }
        ByteBuffer identity = ByteBuffer.wrap(value);
        int lane = identity.getInt();
        int index = identity.getInt();
        boolean known = lane >= 0
                && lane < lanes.size()
                && index >= 0
                && index < lanes.get(lane).size();
        return known ? lanes.get(lane).get(index) : null;
    }
}
