package dev.blobshuffle.core.internal.write.deliver;

/** Learns what became of segments. Called by any thread; must not block. */
public interface DeliveryObserver {
    /** The channel has a segment for good. */
    void delivered(Segment segment, long nowNanos);
}
