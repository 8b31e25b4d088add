package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.core.store.StoreFinding.Level;
import java.time.Duration;
import java.util.Optional;

/** Evaluates differences between clocks. Stateless. */
final class ClockAdvice {
    /** The difference beyond which S3 refuses requests. */
    private static final Duration REFUSED = Duration.ofMinutes(15);

    /**
     * The difference beyond which the timestamps that group blobs for deletion fall into another
     * minute.
     */
    private static final Duration TOLERATED = Duration.ofSeconds(30);

    private ClockAdvice() {}

    /**
     * A finding about a clock.
     *
     * @param whose owner of the clock, for example {@code store}
     * @param ahead how far it is ahead of this machine's clock
     */
    static Finding of(String area, String whose, Duration ahead) {
        Duration apart = ahead.abs();
        String fact = "the " + whose + "'s clock is "
                + (apart.toSeconds() < 1
                        ? "that of this machine"
                        : apart.toSeconds() + " s " + (ahead.isNegative() ? "behind" : "ahead of") + " this machine's");
        if (apart.compareTo(TOLERATED) <= 0) {
            return Finding.ok(area, "clock", fact);
        }
        Level level = apart.compareTo(REFUSED) > 0 ? Level.ERROR : Level.WARNING;
        return new Finding(
                level,
                area,
                "clock",
                fact + (level == Level.ERROR ? ", and signed requests are refused beyond 15 minutes" : ""),
                Optional.of("Synchronize the clocks (NTP), first of all this machine's."));
    }
}
