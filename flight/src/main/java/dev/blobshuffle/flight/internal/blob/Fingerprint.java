package dev.blobshuffle.flight.internal.blob;

/**
 * Distinguishes a blob from another under the same name. The footer has the checksum of every
 * frame, so its checksum stands for all bytes.
 *
 * @param length of the blob, bytes
 * @param footerChecksum CRC32C of its footer
 */
record Fingerprint(long length, int footerChecksum) {}
