package dev.blobshuffle.s3sim;

/**
 * The properties of a request that a {@link WireFaultPlan} sees.
 *
 * @param bucket empty: none
 * @param key empty: none
 * @param bytes of the request's body on the wire
 */
public record WireRequest(Operation operation, String bucket, String key, long bytes) {}
