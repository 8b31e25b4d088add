package dev.blobshuffle.flink.internal.retain;

import dev.blobshuffle.core.internal.retention.SweepTiming;
import java.time.Duration;
import java.util.Optional;

/** Lets coordinators that start from now on sweep all the time. */
public final class QuickSweeps {
    private QuickSweeps() {}

    /** Begins with it. */
    public static void begin() {
        JobRetention.timingOfTests = Optional.of(new SweepTiming(Duration.ofMillis(60), Duration.ofMillis(20)));
    }

    /** Ends it. */
    public static void end() {
        JobRetention.timingOfTests = Optional.empty();
    }
}
