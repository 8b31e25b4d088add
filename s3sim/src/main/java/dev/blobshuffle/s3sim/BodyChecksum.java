package dev.blobshuffle.s3sim;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * One checksum of a body, computed to compare it with the client's, which comes in a header or a
 * trailer. Owned by the connection's thread.
 */
interface BodyChecksum {
    /** The header or trailer with the client's checksum. */
    String header();

    void update(byte[] bytes, int offset, int length);

    /** The checksum in the form of S3. Ends the computation. */
    String base64();

    /** The supported checksums that a request contains. */
    static List<BodyChecksum> of(RequestHead head) {
        List<String> trailers =
                List.of(head.headers().getOrDefault("x-amz-trailer", "").strip().split(" *, *", -1));
        List<BodyChecksum> checksums = new ArrayList<>(1);
        for (BodyChecksum checksum : List.of(
                sum("x-amz-checksum-crc32c", new CRC32C()),
                sum("x-amz-checksum-crc32", new CRC32()),
                digest("x-amz-checksum-sha1", "SHA-1"),
                digest("x-amz-checksum-sha256", "SHA-256"),
                digest("content-md5", "MD5"))) {
            if (head.headers().containsKey(checksum.header()) || trailers.contains(checksum.header())) {
                checksums.add(checksum);
            }
        }
        return checksums;
    }

    private static BodyChecksum sum(String header, Checksum sum) {
        return new BodyChecksum() {
            @Override
            public String header() {
                return header;
            }

            @Override
            public void update(byte[] bytes, int offset, int length) {
                sum.update(bytes, offset, length);
            }

            @Override
            public String base64() {
                return Base64.getEncoder()
                        .encodeToString(ByteBuffer.allocate(Integer.BYTES)
                                .putInt((int) sum.getValue())
                                .array());
            }
        };
    }

    private static BodyChecksum digest(String header, String algorithm) {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has " + algorithm, e);
        }
        return new BodyChecksum() {
            @Override
            public String header() {
                return header;
            }

            @Override
            public void update(byte[] bytes, int offset, int length) {
                digest.update(bytes, offset, length);
            }

            @Override
            public String base64() {
                return Base64.getEncoder().encodeToString(digest.digest());
            }
        };
    }
}
