package dev.blobshuffle.planner.messaging;

import static dev.blobshuffle.planner.messaging.Quantity.*;

import java.util.Optional;

/**
 * The yearly cost of one load in three systems. {@code docs/guides/planner.md} has the formulas. A
 * pure function of the assumptions.
 */
public final class MessagingCost {
    private static final double SECONDS_PER_HOUR = 3600;
    private static final double MEBIBYTE = 1 << 20;
    private static final double MEBIBYTES_PER_GIBIBYTE = 1024;

    private final Assumptions given;

    /** The costs under some assumptions. */
    public MessagingCost(Assumptions assumptions) {
        this.given = assumptions;
    }

    /** Kafka with replicated disks; publishers write to leaders in any zone. */
    public YearlyCost classic() {
        double crossings =
                away() + given.of(CLASSIC_REPLICATION) - 1 + given.of(LOAD_GROUPS) * given.of(CLASSIC_READS_AWAY);
        double diskGibibytes = kept(0) * given.of(CLASSIC_REPLICATION) / given.of(CLASSIC_DISK_FILL);
        return new YearlyCost(
                0,
                crossing(given.of(LOAD_PUBLISHED) * crossings),
                machines(CLASSIC_BROKERS, PRICE_BROKER),
                0,
                held(diskGibibytes, PRICE_DISK),
                Optional.empty());
    }

    /** Inkless, with the requests, brokers and traffic that its operators measured. */
    public YearlyCost inkless() {
        return new YearlyCost(
                requests(given.of(INKLESS_PUTS), given.of(INKLESS_GETS)),
                crossing(given.of(INKLESS_CROSSING) / MEBIBYTES_PER_GIBIBYTE),
                machines(INKLESS_BROKERS, PRICE_BROKER),
                machines(INKLESS_DATABASES, INKLESS_DATABASE_PRICE),
                held(kept(0), PRICE_STORAGE),
                Optional.empty());
    }

    /** Messaging through blobs, including the clients' processor time. */
    public YearlyCost ours() {
        return ours(given.of(OURS_CLIENT_CPU));
    }

    private YearlyCost ours(double clientCpu) {
        double blobs = given.of(LOAD_PUBLISHED) * MEBIBYTES_PER_GIBIBYTE / given.of(OURS_BLOB);
        double reads = given.of(LOAD_GROUPS) == 0 ? 0 : given.of(OURS_GETS_PER_ZONE) * (given.of(LOAD_ZONES) - 1);
        double disks = given.of(OURS_DATABASES) * given.of(OURS_DATABASE_DISK);
        return new YearlyCost(
                requests(blobs * (1 + given.of(OURS_HEDGED)), blobs * reads),
                crossing(logCrossing()),
                0,
                machines(OURS_DATABASES, OURS_DATABASE_PRICE) + held(disks, PRICE_DISK),
                held(kept(given.of(OURS_DELETION_DELAY)), PRICE_STORAGE),
                Optional.of(given.of(LOAD_PUBLISHED) * clientCpu * given.of(PRICE_VCPU) * given.of(YEAR_HOURS)));
    }

    /** Whether our total reaches the goal. */
    public boolean meetsGoal() {
        return ours().total() <= given.of(OURS_GOAL);
    }

    /**
     * The most processor time of the clients, in CPU seconds per GiB published, with which our
     * total reaches the goal. Empty if processor time costs nothing or the rest already costs more.
     */
    public Optional<Double> clientCpuWithinGoal() {
        double left = given.of(OURS_GOAL) - ours(0).total();
        double perCpuSecond = given.of(LOAD_PUBLISHED) * given.of(PRICE_VCPU) * given.of(YEAR_HOURS);
        return left < 0 || perCpuSecond == 0 ? Optional.empty() : Optional.of(left / perCpuSecond);
    }

    /**
     * GiB/s of commit log that cross zones: commits, the standbys' WAL, and rows to every instance.
     */
    private double logCrossing() {
        double commits = given.of(OURS_COMMITS);
        double entries = given.of(OURS_ENTRIES);
        double wal = given.of(OURS_WAL_FIXED) + given.of(OURS_WAL_FACTOR) * entries;
        double perCommit =
                entries * away() + wal * (given.of(OURS_DATABASES) - 1) + entries * away() * given.of(OURS_INSTANCES);
        return commits * perCommit / MEBIBYTE / MEBIBYTES_PER_GIBIBYTE;
    }

    /** The share of bytes that meet a random other machine in another zone. */
    private double away() {
        return (given.of(LOAD_ZONES) - 1) / given.of(LOAD_ZONES);
    }

    /** GiB kept at any time, one copy. */
    private double kept(double moreHours) {
        return given.of(LOAD_PUBLISHED) * SECONDS_PER_HOUR * (given.of(LOAD_RETENTION) + moreHours);
    }

    private double held(double gibibytes, Quantity pricePerMonth) {
        return gibibytes * given.of(pricePerMonth) * given.of(YEAR_HOURS) / given.of(MONTH_HOURS);
    }

    private double crossing(double gibibytesPerSecond) {
        return gibibytesPerSecond * yearSeconds() * given.of(PRICE_CROSSING);
    }

    private double requests(double putsPerSecond, double getsPerSecond) {
        return yearSeconds() * (putsPerSecond * given.of(PRICE_PUT) + getsPerSecond * given.of(PRICE_GET)) / 1000;
    }

    private double machines(Quantity count, Quantity price) {
        return given.of(count) * given.of(price) * given.of(YEAR_HOURS);
    }

    private double yearSeconds() {
        return given.of(YEAR_HOURS) * SECONDS_PER_HOUR;
    }
}
