package dev.blobshuffle.s3;

/**
 * The checksum with which a store verifies an uploaded blob. Blobs also contain their own
 * checksums.
 */
public enum RequestChecksum {
    /** CRC32C in the header {@code x-amz-checksum-crc32c}: S3, MinIO, versitygw and most others. */
    CRC32C,
    /**
     * MD5 in the header {@code Content-MD5}, for older stores that refuse other checksums. Takes
     * several times the CPU of CRC32C. Each blob is deleted by a request of its own.
     */
    MD5,
    /**
     * None. Bytes damaged in transit are detected when they are read. Each blob is deleted by a
     * request of its own.
     */
    NONE
}
