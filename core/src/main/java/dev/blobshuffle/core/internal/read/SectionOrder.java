package dev.blobshuffle.core.internal.read;

import java.util.HashMap;
import java.util.Map;

/**
 * The order in which a Debatcher learned of sections. It reads them in this order, so that all its
 * partitions proceed together and one request serves them. Owned by the Debatcher's thread.
 */
final class SectionOrder {
    private final Map<SharedSection.Key, Place> places = new HashMap<>();
    private long next;

    /** The number of a section, and the queued segments in it. */
    private static final class Place {
        private final long number;
        private int segments;

        Place(long number) {
            this.number = number;
        }
    }

    /** Counts a queued segment of a section, and returns the section's number. */
    long enter(SharedSection.Key section) {
        Place place = places.computeIfAbsent(section, key -> new Place(next++));
        place.segments++;
        return place.number;
    }

    /** Counts down the queued segments of a section. */
    void leave(SharedSection.Key section) {
        Place place = places.get(section);
        if (place != null && --place.segments == 0) {
            places.remove(section);
        }
    }
}
