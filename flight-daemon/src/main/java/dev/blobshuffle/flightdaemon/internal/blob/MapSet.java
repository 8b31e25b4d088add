package dev.blobshuffle.flightdaemon.internal.blob;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The maps of a shuffle that a stream reads. */
public sealed interface MapSet {
    /** The most maps of a shuffle. */
    int MOST_MAPS = 1 << 20;

    /**
     * All maps, with the attempts in the shuffle's commit.
     *
     * @param maps the expected number of maps
     */
    record Committed(int maps) implements MapSet {
        /** Checks the number. */
        public Committed {
            checkCount(maps);
        }
    }

    /**
     * A list of maps, with an attempt of each.
     *
     * @param attempts each map once
     */
    record Listed(List<Attempt> attempts) implements MapSet {
        /** Checks that there are maps, and no duplicates. */
        public Listed {
            attempts = List.copyOf(attempts);
            checkCount(attempts.size());
            Set<Long> maps = new HashSet<>();
            for (Attempt attempt : attempts) {
                if (!maps.add(attempt.map())) {
                    throw new IllegalArgumentException("Cannot read maps: map " + attempt.map()
                            + " is named twice. Name each once, or its rows would count twice.");
                }
            }
        }
    }

    /**
     * An attempt of a map.
     *
     * @param map index of the map
     * @param attempt number of the attempt
     */
    record Attempt(long map, long attempt) {
        /** Checks the numbers. */
        public Attempt {
            if (map < 0 || attempt < 0) {
                throw new IllegalArgumentException(
                        "Cannot read map " + map + ", attempt " + attempt + ": both count from 0.");
            }
        }
    }

    private static void checkCount(int maps) {
        if (maps < 1 || maps > MOST_MAPS) {
            throw new IllegalArgumentException("Cannot read " + maps + " maps: legal are 1 to " + MOST_MAPS + ".");
        }
    }
}
