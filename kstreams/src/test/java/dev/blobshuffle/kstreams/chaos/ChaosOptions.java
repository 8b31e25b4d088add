package dev.blobshuffle.kstreams.chaos;

import java.time.Duration;

/**
 * How a run shall be.
 *
 * @param faults number of faults; all kinds come in turn, in random order
 * @param least the run goes on, with more faults, until this time is over
 * @param seed decides the order of faults and who is hit
 * @param guarantee Kafka Streams' {@code processing.guarantee}
 * @param protocol Kafka Streams' {@code group.protocol}
 * @param brokers 1 or 3; as many replicas
 * @param instances of the application
 * @param rate records per second that go in
 * @param commits whether commits wait for what they cover
 */
record ChaosOptions(
        int faults,
        Duration least,
        long seed,
        String guarantee,
        String protocol,
        int brokers,
        int instances,
        int rate,
        Commits commits) {
    /** Whether commits wait. */
    enum Commits {
        /** As they must. */
        DRAIN,
        /** They do not: the control, which has to lose records. */
        FORGET
    }

    /** What the system properties {@code chaos.*} say; by default each kind of fault once. */
    static ChaosOptions given() {
        return new ChaosOptions(
                Integer.getInteger("chaos.faults", ChaosFault.values().length),
                Duration.ofSeconds(Integer.getInteger("chaos.seconds", 0)),
                Long.getLong("chaos.seed", 1),
                System.getProperty("chaos.guarantee", "exactly_once_v2"),
                System.getProperty("chaos.protocol", "classic"),
                Integer.getInteger("chaos.brokers", 1),
                Integer.getInteger("chaos.instances", 2),
                Integer.getInteger("chaos.rate", 1000),
                Commits.DRAIN);
    }

    /** The control: a few crashes of instances whose commits forget to wait. */
    static ChaosOptions control() {
        ChaosOptions given = given();
        return new ChaosOptions(
                3, Duration.ZERO, given.seed, "exactly_once_v2", "classic", 1, 2, given.rate, Commits.FORGET);
    }

    boolean isExactlyOnce() {
        return guarantee.equals("exactly_once_v2");
    }
}
