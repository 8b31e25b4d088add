package dev.blobshuffle.core.internal.write.deliver;

/** Receives the outcome of segments. Called by any thread; must not block. */
public interface DeliveryObserver {
    /** The channel has acknowledged a segment. */
    void delivered(Segment segment, long nowNanos);
}
