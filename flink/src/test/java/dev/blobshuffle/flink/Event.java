package dev.blobshuffle.flink;

/** A record of a test: its number says everything else. */
public final class Event {
    /** Milliseconds that a window covers. */
    static final long WINDOW = 1000;

    private static final int KEYS = 200;

    /** Its number, and its time in milliseconds. */
    public long number;

    /** Bytes that have to arrive too. */
    public String text = "";

    /** For Flink's serializer. */
    public Event() {}

    Event(long number) {
        this.number = number;
        text = text(number);
    }

    private static String text(long number) {
        return "x".repeat((int) (number % 50)) + number;
    }

    int key() {
        return key(number);
    }

    static int key(long number) {
        return (int) ((number * 0x9E3779B97F4A7C15L >>> 33) % KEYS);
    }

    boolean isWhole() {
        return text.equals(text(number));
    }
}
