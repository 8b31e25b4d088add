package dev.blobshuffle.core.internal.owner;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The content of a store's register of leases: which owners live by a lease, and since when. All
 * times are the store's. A new time is that at which the store writes the value, which the next
 * reader learns with the value, so no other clock takes part.
 *
 * <pre>
 *   LIVE --(not renewed for its length)--> ENDED --(for another quarter)--> its blobs are deleted
 *     ^------------- renewed ----------------'
 * </pre>
 *
 * @param counter grows with each value
 * @param leases by owner
 */
public record LeaseText(long counter, Map<Integer, Line> leases) {
    /** The register's name. */
    public static final String REGISTER = "leases";

    /** No owner has a lease. */
    public static final LeaseText NONE = new LeaseText(0, Map.of());

    private static final String HEAD = "BlobShuffle leases 1";
    private static final String WHEN_WRITTEN = "now";
    private static final int MOST_NAME = 80;

    /** Whether the application has renewed the lease in time. */
    public enum State {
        /** It has. */
        LIVE,
        /** It has not. Its blobs are deleted unless it renews the lease. */
        ENDED
    }

    /**
     * A lease.
     *
     * @param length how long it lasts without a renewal, and what the application promises to renew
     *     it in
     * @param since when it was renewed, or found to have ended; empty: when the store writes this
     * @param name of the application, for people
     */
    public record Line(State state, Duration length, Optional<Instant> since, String name) {
        /** A lease that is renewed now. */
        public static Line renewed(Duration length, String name) {
            return new Line(State.LIVE, length, Optional.empty(), plain(name));
        }

        /** This lease, found to have ended now. */
        public Line ended() {
            return new Line(State.ENDED, length, Optional.empty(), name);
        }

        /** How long a lease that has ended may still be renewed. */
        public Duration grace() {
            return length.dividedBy(4);
        }

        /**
         * Whether the next step towards the deletion is due: to end the lease, or to delete.
         *
         * @param now the store's time, or earlier
         */
        public boolean isDue(Instant now) {
            Duration wait = state == State.LIVE ? length : grace();
            return since.filter(start -> start.plus(wait).isBefore(now)).isPresent();
        }

        private static String plain(String name) {
            String plain = name.replaceAll("[^ -~]", " ").strip();
            return plain.length() <= MOST_NAME ? plain : plain.substring(0, MOST_NAME);
        }
    }

    /** Copies the map. */
    public LeaseText {
        leases = Map.copyOf(leases);
    }

    /** The text with a lease. */
    public LeaseText with(int owner, Line line) {
        Map<Integer, Line> next = new HashMap<>(leases);
        next.put(owner, line);
        return new LeaseText(counter, next);
    }

    /** The text without a lease. */
    public LeaseText without(int owner) {
        Map<Integer, Line> next = new HashMap<>(leases);
        Line ignored = next.remove(owner);
        return new LeaseText(counter, next);
    }

    /** A lease. */
    public Optional<Line> lease(int owner) {
        return Optional.ofNullable(leases.get(owner));
    }

    /**
     * The value as the register holds it, after another one.
     *
     * @throws dev.blobshuffle.core.failure.StoreRefusedException it has more bytes than a register
     *     takes
     */
    public String textAfter(LeaseText before) {
        StringBuilder text = new StringBuilder(HEAD + "\ncounter " + (before.counter + 1) + "\n");
        new TreeMap<>(leases)
                .forEach((owner, line) -> text.append(line.state.name().toLowerCase(Locale.ROOT) + " "
                        + BlobId.hex(owner) + " " + line.length.toMillis() + " "
                        + line.since
                                .map(start -> Long.toString(start.toEpochMilli()))
                                .orElse(WHEN_WRITTEN)
                        + " " + line.name + "\n"));
        byte[] ignored = Registers.bytes(REGISTER, text.toString());
        return text.toString();
    }

    /**
     * Reads a value.
     *
     * @throws InvalidSettingsException another program, or a newer version, wrote the text
     */
    public static LeaseText parse(Register held) {
        String[] rows = held.text().split("\n", -1);
        boolean isGood = rows.length >= 3
                && held.text().length() <= Registers.MOST_BYTES
                && rows[0].equals(HEAD)
                && rows[1].matches("counter [0-9]{1,18}")
                && rows[rows.length - 1].isEmpty();
        Map<Integer, Line> leases = new HashMap<>();
        for (int row = 2; isGood && row < rows.length - 1; row++) {
            String[] words = rows[row].split(" ", 5);
            isGood = words.length == 5
                    && words[0].matches("live|ended")
                    && words[1].matches("[0-9a-f]{6}")
                    && words[2].matches("[0-9]{1,15}")
                    && words[3].matches(WHEN_WRITTEN + "|[0-9]{1,15}")
                    && leases.put(Integer.parseInt(words[1], 16), line(words, held.stored())) == null;
        }
        if (!isGood) {
            throw new InvalidSettingsException("Cannot read the leases of a store: register " + REGISTER
                    + " holds something else. Upgrade this instance, or restore the register.");
        }
        return new LeaseText(Long.parseLong(rows[1].substring("counter ".length())), leases);
    }

    private static Line line(String[] words, Instant written) {
        long since = words[3].equals(WHEN_WRITTEN) ? written.toEpochMilli() : Long.parseLong(words[3]);
        return new Line(
                State.valueOf(words[0].toUpperCase(Locale.ROOT)),
                Duration.ofMillis(Long.parseLong(words[2])),
                Optional.of(Instant.ofEpochMilli(since)),
                words[4]);
    }
}
