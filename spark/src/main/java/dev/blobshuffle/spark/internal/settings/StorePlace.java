package dev.blobshuffle.spark.internal.settings;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.store.StoreUri;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Where the blobs of one application are: a store of its own below the named one, {@code
 * spark/DAY-RANDOM}. No sweep of another owner lists it, and it stops none. Stateless.
 */
public final class StorePlace {
    /** What the places of all applications begin with, after the store's prefix. */
    static final String ROOT = "spark/";

    private static final String MEMORY = "memory";

    private StorePlace() {}

    /**
     * The URI of an application's place.
     *
     * @param store URI of the store that the user named
     * @param wallMillis when the application started; its day (UTC) is part of the place
     * @param random makes the place unique
     */
    public static String below(String store, long wallMillis, long random) {
        String name = LocalDate.ofEpochDay(TimeUnit.MILLISECONDS.toDays(wallMillis)) + "-"
                + HexFormat.of().toHexDigits(random);
        int query = store.indexOf('?');
        String path = query < 0 ? store : store.substring(0, query);
        String rest = query < 0 ? "" : store.substring(query);
        if (StoreUri.parse(store).scheme().equals(MEMORY)) {
            return path + "." + name + rest;
        }
        return Arrays.stream(path.split(",", -1))
                        .map(each -> (each.endsWith("/") ? each : each + "/") + ROOT + name)
                        .collect(Collectors.joining(","))
                + rest;
    }

    /**
     * Refuses a store that executors cannot reach.
     *
     * @param master of the application
     * @throws InvalidSettings fatal: the store is in the memory of one process
     */
    public static void requireReachable(String store, String master) {
        if (StoreUri.parse(store).scheme().equals(MEMORY) && !master.matches("local(\\[.*])?")) {
            throw new InvalidSettings("Cannot keep shuffles in " + MEMORY + "://: executors are processes of their own"
                    + " with master " + master + ". Name a store that all of them reach.");
        }
    }
}
