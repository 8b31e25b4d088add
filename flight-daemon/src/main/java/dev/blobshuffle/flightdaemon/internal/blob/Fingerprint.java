package dev.blobshuffle.flightdaemon.internal.blob;

/**
 * Distinguishes a blob from another blob of the same name. The footer contains the checksum of
 * every frame, so its own checksum covers all bytes.
 *
 * @param length of the blob, bytes
 * @param footerChecksum CRC32C of its footer
 */
record Fingerprint(long length, int footerChecksum) {}
