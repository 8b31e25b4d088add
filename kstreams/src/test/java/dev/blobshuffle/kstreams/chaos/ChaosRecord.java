package dev.blobshuffle.kstreams.chaos;

import java.nio.ByteBuffer;

/**
 * A record of a run: its origin, and its place in the sequence of its key.
 *
 * @param origin partition of the input
 * @param key below {@link #KEYS}
 * @param sequence from 0 per origin and key, without gaps
 */
record ChaosRecord(int origin, int key, long sequence) {
    static final int ORIGINS = 4;
    static final int KEYS = 50;
    static final int GROUPS = 12;

    private static final int PADDING = 200;

    byte[] bytes() {
        return ByteBuffer.allocate(16 + PADDING)
                .putInt(origin)
                .putInt(key)
                .putLong(sequence)
                .array();
    }

    static ChaosRecord of(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new ChaosRecord(buffer.getInt(), buffer.getInt(), buffer.getLong());
    }

    /**
     * The key of the second shuffle. It is a function of the key, so the sequence of a key stays in
     * one partition.
     */
    int group() {
        return key % GROUPS;
    }
}
