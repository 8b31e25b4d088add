package dev.blobshuffle.core.zone;

/**
 * An availability zone: a place inside which network traffic is free.
 *
 * @param name the provider's name of the zone, such as {@code us-east-1a}; never blank
 */
public record Zone(String name) {
    /** Where nobody told zones apart: everything is in this one zone. */
    public static final Zone SINGLE = new Zone("single");

    /** Checks the name. */
    public Zone {
        if (name.isBlank()) {
            throw new IllegalArgumentException("Cannot name a zone: the name is blank. Give the provider's zone name.");
        }
    }
}
