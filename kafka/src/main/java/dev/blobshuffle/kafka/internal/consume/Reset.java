package dev.blobshuffle.kafka.internal.consume;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer does in a partition without a commit, as far as the wrapper needs to know it. The
 * real consumer does the rest.
 *
 * @param isRefused whether a poll or a query of a position throws
 * @param age the greatest age of the first record; null: any age
 */
record Reset(boolean isRefused, @Nullable Duration age) {
    /** The real consumer starts at the beginning or the end. */
    static final Reset REAL = new Reset(false, null);

    private static final String BY_DURATION = "by_duration:";

    /** @param setting {@code auto.offset.reset}, validated by Kafka */
    static Reset of(String setting) {
        return setting.startsWith(BY_DURATION)
                ? new Reset(false, Duration.parse(setting.substring(BY_DURATION.length())))
                : new Reset(setting.equals("none"), null);
    }
}
