package dev.blobshuffle.core.internal.owner;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.Time;
import java.util.Locale;

/**
 * Random values for one step. Every step needs new values, even a repeated one, because its former
 * text may have been written.
 *
 * @param id the id of a raise
 * @param token the token of a doubt, or of a smaller promise
 * @param owner an owner between 1 and {@link BlobId#MOST_OWNERS}
 */
public record Fresh(String id, String token, int owner) {
    /** Checks the owner. */
    public Fresh {
        if (owner < 1 || owner > BlobId.MOST_OWNERS) {
            throw new IllegalArgumentException("Cannot make owner " + owner + ": it needs a number of 24 bits but 0.");
        }
    }

    /** New values. */
    public static Fresh of(Time time) {
        return new Fresh(
                String.format(Locale.ROOT, "%016x%016x", time.randomLong(), time.randomLong()),
                String.format(Locale.ROOT, "%016x", time.randomLong()),
                1 + (int) Long.remainderUnsigned(time.randomLong(), BlobId.MOST_OWNERS));
    }
}
