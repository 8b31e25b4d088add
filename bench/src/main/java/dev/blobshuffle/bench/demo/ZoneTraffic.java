package dev.blobshuffle.bench.demo;

/**
 * What the instances of one zone read of the shuffle out of caches.
 *
 * @param hits reads that a cache answered: their own, or another one's in the zone; no less than
 *     that
 * @param ownBytes bytes that their own caches answered, themselves and others
 */
record ZoneTraffic(long hits, long ownBytes) {
    private static final int FIELDS = 2;

    /** The sum of two instances'. */
    ZoneTraffic plus(ZoneTraffic other) {
        return new ZoneTraffic(hits + other.hits, ownBytes + other.ownBytes);
    }

    /** Two numbers, as {@link #parse} reads them. */
    String format() {
        return hits + " " + ownBytes;
    }

    static ZoneTraffic parse(String text) {
        String[] numbers = text.split(" ");
        if (numbers.length != FIELDS) {
            throw new IllegalArgumentException(
                    "Cannot read the traffic of a zone: '" + text + "'. It has two numbers.");
        }
        return new ZoneTraffic(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]));
    }
}
