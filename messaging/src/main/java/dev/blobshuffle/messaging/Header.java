package dev.blobshuffle.messaging;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A header of a record.
 *
 * @param name of the header; several headers of a record may have the same
 * @param value its bytes, not copied; null: it has none
 */
@SuppressWarnings("ArrayRecordComponent") // A header is not compared.
public record Header(String name, byte @Nullable [] value) {
    /** Checks the name. */
    public Header {
        Objects.requireNonNull(name, "name");
    }
}
