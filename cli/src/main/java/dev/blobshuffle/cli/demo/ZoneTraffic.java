package dev.blobshuffle.cli.demo;

/**
 * What the instances of one zone read of the shuffle, and from where.
 *
 * @param hits reads that a cache answered: their own, or another one's in the zone; no less than that
 * @param storeBytes bytes that came from the store
 * @param ownBytes bytes that their own caches answered, themselves and others
 * @param receivedBytes bytes that other instances of the zone sent them
 * @param sentBytes bytes that they sent to other instances, wherever these are
 */
record ZoneTraffic(long hits, long storeBytes, long ownBytes, long receivedBytes, long sentBytes) {
    private static final int FIELDS = 5;

    /** The sum of two instances'. */
    ZoneTraffic plus(ZoneTraffic other) {
        return new ZoneTraffic(
                hits + other.hits,
                storeBytes + other.storeBytes,
                ownBytes + other.ownBytes,
                receivedBytes + other.receivedBytes,
                sentBytes + other.sentBytes);
    }

    /** Bytes that were sent and nobody in the zone received: they left it. A transfer that broke off counts too. */
    long leftZone() {
        return Math.max(0, sentBytes - receivedBytes);
    }

    /** Five numbers, as {@link #parse} reads them. */
    String format() {
        return hits + " " + storeBytes + " " + ownBytes + " " + receivedBytes + " " + sentBytes;
    }

    static ZoneTraffic parse(String text) {
        String[] numbers = text.split(" ");
        if (numbers.length != FIELDS) {
            throw new IllegalArgumentException(
                    "Cannot read the traffic of a zone: '" + text + "'. It has five numbers.");
        }
        return new ZoneTraffic(
                Long.parseLong(numbers[0]),
                Long.parseLong(numbers[1]),
                Long.parseLong(numbers[2]),
                Long.parseLong(numbers[3]),
                Long.parseLong(numbers[4]));
    }
}
