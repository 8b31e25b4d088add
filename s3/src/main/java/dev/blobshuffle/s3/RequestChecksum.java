package dev.blobshuffle.s3;

/** What a store checks the bytes of an uploaded blob against. The bytes on storage have checksums of their own, whatever is chosen here. */
public enum RequestChecksum {
    /** CRC32C in the header {@code x-amz-checksum-crc32c}: S3, MinIO, versitygw and most others. */
    CRC32C,
    /** MD5 in the header {@code Content-MD5}: older stores that refuse other checksums; takes several times the CPU of CRC32C. */
    MD5,
    /** None: bytes that were damaged on their way are found when they are read. */
    NONE
}
