package dev.blobshuffle.planner;

import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.core.internal.retention.RetentionSettings;
import java.time.Duration;

/**
 * The price of the retention floor. Each blob is kept for at least that long, needed or not.
 *
 * @param floor {@code blobshuffle.retention.floor.ms}
 * @param keptBytes bytes that the store holds for it at the planned rate; a file store needs as
 *     much space on its disks
 * @param usdPerHour what the store charges for them
 */
public record FloorPrice(Duration floor, double keptBytes, double usdPerHour) {
    /** The price of the default floor. */
    static FloorPrice usual(Traffic traffic, PriceTable prices) {
        return of(RetentionSettings.FLOOR.defaultValue(), traffic, prices);
    }

    static FloorPrice of(Duration floor, Traffic traffic, PriceTable prices) {
        return new FloorPrice(floor, Cost.keptBytes(traffic, floor), Cost.stored(traffic, floor, prices));
    }
}
