package dev.blobshuffle.bench.demo.messaging;

import dev.blobshuffle.bench.demo.DemoFailedException;
import java.time.Duration;

/**
 * The user's choices, checked.
 *
 * @param zones number of zones, each with a publisher and a subscriber
 * @param rate records per second of each publisher
 * @param pace time between two faults
 * @param faults faults drawn from the seed; none: the fixed sequence of the demo
 * @param seed of the drawn faults
 */
record MessagingOptions(int zones, int rate, Duration pace, int faults, long seed) {
    private static final int MOST_ZONES = 5;
    private static final int MOST_RATE = 5000;
    private static final int MOST_FAULTS = 10_000;
    private static final Duration LONGEST = Duration.ofMinutes(10);

    /** Checks the numbers. */
    MessagingOptions {
        require("--zones", zones, 2, MOST_ZONES); // One of its subscribers is killed.
        require("--rate", rate, 1, MOST_RATE);
        require("--seconds", (int) pace.toSeconds(), 1, (int) LONGEST.toSeconds());
        require("--faults", faults, 0, MOST_FAULTS);
    }

    private static void require(String option, int number, int least, int most) {
        if (number < least || number > most) {
            throw new DemoFailedException(
                    "Cannot run the demo: " + option + " is " + number + ". Give " + least + " to " + most + ".");
        }
    }

    /** Partitions of each topic: four for each subscriber. */
    int partitions() {
        return 4 * zones;
    }

    static String zone(int number) {
        return "zone-" + (char) ('a' + number);
    }
}
