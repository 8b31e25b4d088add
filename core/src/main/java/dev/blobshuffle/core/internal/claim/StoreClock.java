package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The clock of a store, read once: a register was written, and then read with the store's time of
 * that write. So {@link #now()} comes from the clock that dates the blobs, in every store and
 * compatible service. After the reading, this machine's monotonic clock advances it.
 *
 * <p>Ages are differences between times of the store only. Other clocks are compared only to detect
 * a wrong one: this machine's clock, and the writers' clocks, which generations show. A difference
 * of up to {@link #MARGIN} is accepted. Object stores refuse signed requests from a machine whose
 * clock differs more.
 *
 * <p>Immutable.
 */
public final class StoreClock {
    /**
     * The largest accepted difference of two clocks. Orphans are recognized with the same margin.
     */
    public static final Duration MARGIN = Duration.ofMinutes(15);

    private final String location;
    private final Time time;
    private final Instant stored;
    private final Instant ownBefore;
    private final Instant ownAfter;
    private final long readNanos;

    private StoreClock(String location, Time time, Instant stored, Instant ownBefore) {
        this.location = location;
        this.time = time;
        this.stored = stored;
        this.ownBefore = ownBefore;
        ownAfter = own(time);
        readNanos = time.nanos();
    }

    /**
     * A reading that ends now.
     *
     * @param location the store's location
     * @param time this machine's clocks
     * @param stored the time of a register that was written between {@code before} and now
     * @param before the start of the reading, by this machine's clock
     */
    public static StoreClock of(String location, Time time, Instant stored, Instant before) {
        return new StoreClock(location, time, stored, before);
    }

    /** The time by this machine's clock. */
    static Instant own(Time time) {
        return Instant.ofEpochMilli(time.wallMillis());
    }

    /** The store's time, or a moment earlier. */
    public Instant now() {
        return stored.plusNanos(time.nanos() - readNanos);
    }

    /**
     * Describes the difference if this machine's clock differs too much from the store's; otherwise
     * empty.
     */
    public Optional<String> differenceFromOwn() {
        Duration ahead = Duration.between(stored, ownBefore);
        Duration behind = Duration.between(ownAfter, stored);
        if (ahead.compareTo(MARGIN) > 0) {
            return Optional.of(difference(ahead, "ahead of"));
        }
        return behind.compareTo(MARGIN) > 0 ? Optional.of(difference(behind, "behind")) : Optional.empty();
    }

    private String difference(Duration by, String where) {
        return "this machine's clock is " + text(by) + " " + where + " the store's (here it is " + ownAfter + ", in "
                + location + " " + stored + ")";
    }

    /**
     * Describes the difference if a blob's generation is too far in the future, because its
     * writer's clock or the store's is wrong; otherwise empty.
     *
     * @param generation the newest generation of the store
     */
    public Optional<String> differenceFrom(long generation) {
        Instant now = now();
        Instant minute = Instant.ofEpochMilli(generation * BlobId.MILLIS_PER_GENERATION);
        Duration ahead = Duration.between(now, minute);
        return ahead.compareTo(MARGIN) <= 0
                ? Optional.empty()
                : Optional.of("a writer's clock is " + text(ahead) + " ahead of the store's (the newest blob is of "
                        + minute + ", and in " + location + " it is " + now + ")");
    }

    /**
     * Describes the difference if another clock and the store's differ too much; otherwise empty.
     *
     * @param other the current time by the other clock
     * @param whose names the other clock, as in "the log's"
     */
    public Optional<String> differenceFrom(Instant other, String whose) {
        Instant now = now();
        Duration ahead = Duration.between(now, other);
        return ahead.abs().compareTo(MARGIN) <= 0
                ? Optional.empty()
                : Optional.of(whose + " clock is " + text(ahead.abs()) + (ahead.isNegative() ? " behind" : " ahead of")
                        + " the store's (there it is " + other + ", and in " + location + " " + now + ")");
    }

    private static String text(Duration by) {
        return by.toHours() < 2
                ? by.plusSeconds(30).toMinutes() + " minutes"
                : by.plusMinutes(30).toHours() + " hours";
    }
}
