package dev.blobshuffle.bench.demo;

/**
 * The shuffle reads that caches answered for the instances of one zone.
 *
 * @param hits reads that a cache answered, their own or another one in the zone; a lower bound
 * @param ownBytes bytes that their own caches answered, to themselves and to others
 */
record ZoneTraffic(long hits, long ownBytes) {
    private static final int FIELDS = 2;

    /** The sum of two instances' reads. */
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
