package dev.blobshuffle.core.metrics;

import dev.blobshuffle.core.zone.Zone;
import java.util.Comparator;

/**
 * A way that bytes of blobs take: from a zone to the store, from the store to a zone, or from members of a zone to a member that asked them.
 *
 * @param from a zone's name, or {@link #STORE}
 * @param to as {@code from}
 */
public record Flow(String from, String to) implements Comparable<Flow> {
    /** What stands for the store, which is in no zone. */
    public static final String STORE = "store";

    private static final Comparator<Flow> ORDER =
            Comparator.comparing(Flow::from).thenComparing(Flow::to);

    /** What an instance of a zone writes. */
    public static Flow toStore(Zone zone) {
        return new Flow(name(zone), STORE);
    }

    /** What an instance of a zone reads from the store. */
    public static Flow fromStore(Zone zone) {
        return new Flow(STORE, name(zone));
    }

    /** What members of a zone send to one of another zone, or of the same one. */
    public static Flow between(Zone from, Zone to) {
        return new Flow(name(from), name(to));
    }

    private static String name(Zone zone) {
        return zone.name().equals(STORE) ? "zone " + STORE : zone.name();
    }

    /** Whether it leads from one zone into another otherwise than through the store: what providers charge for. */
    public boolean isCrossing() {
        return !from.equals(STORE) && !to.equals(STORE) && !from.equals(to);
    }

    @Override
    public int compareTo(Flow other) {
        return ORDER.compare(this, other);
    }
}
