package dev.blobshuffle.bench.messaging;

import java.time.Duration;

/**
 * A load of published and consumed records.
 *
 * @param name for reports
 * @param topics number of topics
 * @param partitions of each topic
 * @param messageSize bytes of a record's value
 * @param randomRatio share of the value that is random; the rest is zeros
 * @param payloads number of different values
 * @param subscriptions groups that read each topic
 * @param producers of each topic
 * @param consumers of each topic and group
 * @param rate records per second of all producers; 0: as many as possible
 * @param warmUp before the measured time
 * @param measured the measured time
 */
public record Workload(
        String name,
        int topics,
        int partitions,
        int messageSize,
        double randomRatio,
        int payloads,
        int subscriptions,
        int producers,
        int consumers,
        int rate,
        Duration warmUp,
        Duration measured) {
    private static final int MOST = 1_000_000;

    /** Checks the numbers. */
    public Workload {
        require("topics", topics, 1, 1000);
        require("partitionsPerTopic", partitions, 1, 10_000);
        require("messageSize", messageSize, Payload.LEAST_BYTES, MOST);
        require("randomizedPayloadPoolSize", payloads, 1, 100_000);
        require("subscriptionsPerTopic", subscriptions, 1, 100);
        require("producersPerTopic", producers, 1, 1000);
        require("consumerPerSubscription", consumers, 1, 1000);
        require("producerRate", rate, 0, 10 * MOST);
        if (!(randomRatio >= 0 && randomRatio <= 1)) {
            throw new IllegalArgumentException(
                    "Cannot use randomBytesRatio: " + randomRatio + ". Give a number from 0 to 1.");
        }
        if (measured.isNegative() || measured.isZero() || warmUp.isNegative()) {
            throw new IllegalArgumentException("Cannot measure for " + measured + " after " + warmUp
                    + ". Give testDurationMinutes above 0 and warmupDurationMinutes of 0 or more.");
        }
    }

    private static void require(String key, long number, long least, long most) {
        if (number < least || number > most) {
            throw new IllegalArgumentException(
                    "Cannot use " + key + ": " + number + ". Give a number from " + least + " to " + most + ".");
        }
    }

    /** The same, for another time. */
    public Workload lasting(Duration newWarmUp, Duration newMeasured) {
        return new Workload(
                name,
                topics,
                partitions,
                messageSize,
                randomRatio,
                payloads,
                subscriptions,
                producers,
                consumers,
                rate,
                newWarmUp,
                newMeasured);
    }

    /** Whether producers send as fast as they can. */
    boolean isMaximumRate() {
        return rate == 0;
    }

    /** Producers of all topics. */
    int allProducers() {
        return topics * producers;
    }
}
