package dev.blobshuffle.messaging.internal.publish;

/**
 * The hash by which Kafka's default partitioner distributes keys: murmur2 with Kafka's seed, made
 * positive. The database function {@code key_hash} computes the same.
 */
final class KeyHash {
    private static final int SEED = 0x9747b28c;
    private static final int FACTOR = 0x5bd1e995;
    private static final int SHIFT = 24;

    private KeyHash() {}

    /** The hash of a key, 0 or more. */
    static int of(byte[] key) {
        int length = key.length;
        int hash = SEED ^ length;
        int words = length & ~3;
        for (int at = 0; at < words; at += 4) {
            int word = (key[at] & 0xff)
                    | (key[at + 1] & 0xff) << 8
                    | (key[at + 2] & 0xff) << 16
                    | (key[at + 3] & 0xff) << 24;
            word *= FACTOR;
            word ^= word >>> SHIFT;
            hash = hash * FACTOR ^ word * FACTOR;
        }
        int rest = length - words;
        if (rest == 3) {
            hash ^= (key[words + 2] & 0xff) << 16;
        }
        if (rest >= 2) {
            hash ^= (key[words + 1] & 0xff) << 8;
        }
        if (rest >= 1) {
            hash = (hash ^ (key[words] & 0xff)) * FACTOR;
        }
        hash = (hash ^ hash >>> 13) * FACTOR;
        return (hash ^ hash >>> 15) & Integer.MAX_VALUE;
    }
}
