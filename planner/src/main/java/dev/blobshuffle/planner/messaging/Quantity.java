package dev.blobshuffle.planner.messaging;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * An input of the cost comparison. The name in a file is the constant's, in lower case with dots.
 * Each has one unit and a least value.
 */
public enum Quantity {
    LOAD_PUBLISHED("GiB/s", 0),
    LOAD_GROUPS("groups", 0),
    LOAD_RETENTION("hours", 0),
    LOAD_ZONES("zones", 1),
    YEAR_HOURS("hours", 0),
    MONTH_HOURS("hours", 1),
    PRICE_PUT("USD/1000 requests", 0),
    PRICE_GET("USD/1000 requests", 0),
    PRICE_STORAGE("USD/GiB-month", 0),
    PRICE_CROSSING("USD/GiB", 0),
    PRICE_VCPU("USD/hour", 0),
    PRICE_BROKER("USD/hour", 0),
    PRICE_DISK("USD/GiB-month", 0),
    CLASSIC_REPLICATION("replicas", 1),
    CLASSIC_BROKERS("machines", 0),
    CLASSIC_DISK_FILL("share", 0.01),
    CLASSIC_READS_AWAY("share", 0),
    CLASSIC_PUBLISHED_TOTAL("USD/year", 0),
    INKLESS_BROKERS("machines", 0),
    INKLESS_PUTS("requests/s", 0),
    INKLESS_GETS("requests/s", 0),
    INKLESS_CROSSING("MiB/s", 0),
    INKLESS_DATABASES("machines", 0),
    INKLESS_DATABASE_PRICE("USD/hour", 0),
    INKLESS_PUBLISHED_TOTAL("USD/year", 0),
    OURS_INSTANCES("instances", 1),
    OURS_BLOB("MiB", 0.001),
    OURS_HEDGED("share", 0),
    OURS_GETS_PER_ZONE("requests/blob", 0),
    OURS_DELETION_DELAY("hours", 0),
    OURS_COMMITS("commits/s", 0),
    OURS_ENTRIES("bytes/commit", 0),
    OURS_WAL_FIXED("bytes/commit", 0),
    OURS_WAL_FACTOR("bytes/byte", 0),
    OURS_DATABASES("machines", 1),
    OURS_DATABASE_PRICE("USD/hour", 0),
    OURS_DATABASE_DISK("GiB/machine", 0),
    OURS_CLIENT_CPU("CPU s/GiB", 0),
    OURS_GOAL("USD/year", 0);

    private final String unit;
    private final double least;

    Quantity(String unit, double least) {
        this.unit = unit;
        this.least = least;
    }

    /** The name in a file and on the command line. */
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '.');
    }

    /** The unit of the value. */
    public String unit() {
        return unit;
    }

    /** The smallest value. Shares are also at most 1. */
    public double least() {
        return least;
    }

    /** The largest value. */
    public double most() {
        return unit.equals("share") ? 1 : 1e12;
    }

    static Optional<Quantity> named(String key) {
        return Arrays.stream(values())
                .filter(quantity -> quantity.key().equals(key))
                .findFirst();
    }
}
