package dev.blobshuffle.s3;

/**
 * The checksum with which a store verifies an uploaded blob. Stored bytes always have checksums of
 * their own as well.
 */
public enum RequestChecksum {
    /** CRC32C in the header {@code x-amz-checksum-crc32c}: S3, MinIO, versitygw and most others. */
    CRC32C,
    /**
     * MD5 in the header {@code Content-MD5}, for older stores that refuse other checksums. Takes
     * several times the CPU of CRC32C.
     */
    MD5,
    /** None. Bytes that were damaged on the way are detected when they are read. */
    NONE
}
