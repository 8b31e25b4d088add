package dev.blobshuffle.bench.paper;

import java.util.Locale;

/** The way in which blobs are laid out, sealed and requested. */
public enum Layout {
    /** A blob per zone, sealed by its size, no second requests: section 3.1 of the paper. */
    PAPER(Deployment.ZONES),
    /**
     * One blob with the sections of all zones, sealed by the time in which the paper's layout fills
     * its blobs; slow requests are sent twice. So it has a third of the paper's puts, three times
     * as large: {@code batch.layout=packed} with a large {@code batch.max.bytes}.
     */
    OURS(1),
    /**
     * The paper's blobs, and slow requests are sent twice: {@code batch.layout=packed} with the
     * paper's size as {@code batch.max.bytes}.
     */
    OURS_PER_ZONE(Deployment.ZONES);

    private final int blobs;

    Layout(int blobs) {
        this.blobs = blobs;
    }

    /** Blobs of a batch. */
    int blobs() {
        return blobs;
    }

    /** Number of zones whose sections are in one blob. */
    int zones() {
        return Deployment.ZONES / blobs;
    }

    /** Whether slow requests are sent twice. */
    boolean isHedged() {
        return this != PAPER;
    }

    /** Its name in results. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
