package dev.blobshuffle.bench.paper;

import java.util.Locale;

/** How blobs are laid out, sealed and requested. */
public enum Layout {
    /** A blob per zone, sealed by its size, no second requests: section 3.1 of the paper. */
    PAPER,
    /**
     * One blob with the sections of all zones, sealed by the time in which the paper's layout fills
     * its blobs; slow requests are sent twice. So it has a third of the paper's puts, three times
     * as large.
     */
    OURS;

    /** Its name in results. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
