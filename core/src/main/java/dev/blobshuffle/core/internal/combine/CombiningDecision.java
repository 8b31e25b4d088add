package dev.blobshuffle.core.internal.combine;

import java.util.Locale;

/** Whether an instance combines its small blobs, and why. */
public enum CombiningDecision {
    /** Blobs are small, and share combined blobs with those of others. */
    ON("its blobs are small, and others share combined blobs with them"),
    /** The instance hands blobs over to find out what they share. */
    ON_TRIAL("it finds out whether others share combined blobs with it"),
    /** The blobs are cheap enough. */
    LARGE_BLOBS("its blobs are large enough to be stored by themselves"),
    /** The batches cost less through the channel, even combined. */
    SMALL_BATCHES("its batches are so small that they cost less as records, even combined"),
    /** Combined blobs hold hardly more than the parts. */
    ALONE("hardly any other instance shares combined blobs with it"),
    /** No member takes parts. */
    NO_HUB("its zone has no hub that works. Start one: blobshuffle cache --combine"),
    /** {@code combine.enabled=false}. */
    DISABLED("combine.enabled is false"),
    /** A setting of the instance excludes combining, like the constants below. */
    NO_ZONE_CACHE("without cache.zone.enabled each reader of a zone would read a combined blob by itself"),
    /** As {@link #NO_ZONE_CACHE}. */
    ENCRYPTED("an encrypted blob cannot become part of another one"),
    /** As {@link #NO_ZONE_CACHE}. */
    SHORT_TARGET("batch.target.latency.ms leaves no time to wait for other instances"),
    /** As {@link #NO_ZONE_CACHE}. */
    TWO_SPEEDS("a store of two speeds announces blobs early, and a hub does not");

    private final String reason;

    CombiningDecision(String reason) {
        this.reason = reason;
    }

    /** Whether small blobs go to a hub. */
    public boolean isOn() {
        return this == ON || this == ON_TRIAL;
    }

    /** The reason, for people: the end of a sentence that begins with "because". */
    public String reason() {
        return reason;
    }

    /** One or two words for tools: {@code on}, or {@code off} and the reason. */
    public String words() {
        return (isOn() ? "" : "off ") + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
