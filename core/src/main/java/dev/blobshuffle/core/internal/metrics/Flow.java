package dev.blobshuffle.core.internal.metrics;

import dev.blobshuffle.core.zone.Zone;
import java.util.Comparator;

/**
 * A route of blob bytes: from a zone to the store, from the store to a zone, or from members of a
 * zone to a requesting member.
 *
 * @param from a zone's name, or {@link #STORE}
 * @param to as {@code from}
 */
public record Flow(String from, String to) implements Comparable<Flow> {
    /** The name of the store, which is in no zone. */
    public static final String STORE = "store";

    private static final Comparator<Flow> ORDER =
            Comparator.comparing(Flow::from).thenComparing(Flow::to);

    /** Bytes that an instance of a zone writes. */
    public static Flow toStore(Zone zone) {
        return new Flow(name(zone), STORE);
    }

    /** Bytes that an instance of a zone reads from the store. */
    public static Flow fromStore(Zone zone) {
        return new Flow(STORE, name(zone));
    }

    /** Bytes that members of a zone send to a member of another zone, or of the same zone. */
    public static Flow between(Zone from, Zone to) {
        return new Flow(name(from), name(to));
    }

    private static String name(Zone zone) {
        return zone.name().equals(STORE) ? "zone " + STORE : zone.name();
    }

    /**
     * Whether the bytes cross zones without passing through the store. Providers charge for such
     * traffic.
     */
    public boolean isCrossing() {
        return !from.equals(STORE) && !to.equals(STORE) && !from.equals(to);
    }

    @Override
    public int compareTo(Flow other) {
        return ORDER.compare(this, other);
    }
}
