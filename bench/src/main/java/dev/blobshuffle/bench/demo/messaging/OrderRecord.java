package dev.blobshuffle.bench.demo.messaging;

/**
 * A record of the demo: its publisher, its number, and its send time.
 *
 * @param publisher one life of a publisher
 * @param number from 0 in that life
 * @param sentMillis milliseconds since the Unix epoch
 */
record OrderRecord(String publisher, long number, long sentMillis) {
    private static final int KEYS = 60;
    private static final String PADDING = "x".repeat(150);

    /** The key: records of one publisher and one key stay in order. */
    String key() {
        return publisher + "/" + number % KEYS;
    }

    /** The text that {@link #parse} reads, of about 200 bytes. */
    String value() {
        return publisher + " " + number + " " + sentMillis + " " + PADDING;
    }

    static OrderRecord parse(String value) {
        String[] words = value.split(" ", -1);
        return new OrderRecord(words[0], Long.parseLong(words[1]), Long.parseLong(words[2]));
    }
}
