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
 * One checksum of a body, computed because the client sends its own, in a header or in a trailer.
 * Owned by the connection's thread.
 */
interface BodyChecksum {
    /** The header or trailer that holds the client's. */
    String header();

    void update(byte[] bytes, int offset, int length);

    /** The checksum as S3 writes it. Ends it. */
    String base64();

    /** Those that a request asks for and that the simulator knows. */
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
