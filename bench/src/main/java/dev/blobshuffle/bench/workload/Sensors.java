package dev.blobshuffle.bench.workload;

import java.nio.charset.StandardCharsets;

/**
 * Theodolite's load. The sensors send measurements of 10 W in turn: each sends one before any sends
 * its next. Owned by one thread.
 */
final class Sensors implements Source {
    static final double WATTS = 10;
    private static final String PREFIX = "s_";

    private final int sensors;
    private final Timeline timeline;
    private long index;

    Sensors(int sensors, Timeline timeline) {
        this.sensors = sensors;
        this.timeline = timeline;
    }

    static String name(int sensor) {
        return PREFIX + sensor;
    }

    /** The number of a sensor by its name. */
    static int number(String name) {
        return Integer.parseInt(name.substring(PREFIX.length()));
    }

    @Override
    public Message next() {
        String name = name((int) (index % sensors));
        long timestamp = timeline.timestamp(index++);
        return new Message(
                name.getBytes(StandardCharsets.UTF_8), new Measurement(name, timestamp, WATTS).bytes(), timestamp);
    }
}
