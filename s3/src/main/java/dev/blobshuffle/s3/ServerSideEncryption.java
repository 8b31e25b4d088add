package dev.blobshuffle.s3;

import java.util.Optional;

/**
 * The encryption that the store applies to blobs, instead of the bucket's default.
 *
 * @param algorithm the name in S3: {@code AES256}, {@code aws:kms} or {@code aws:kms:dsse}
 * @param kmsKey the id or ARN of the KMS key; empty for the account's own, and for {@code AES256}
 */
public record ServerSideEncryption(String algorithm, Optional<String> kmsKey) {
    /** Checks that a key is given only for an algorithm that uses one. */
    public ServerSideEncryption {
        if (algorithm.isBlank()) {
            throw new IllegalArgumentException(
                    "Cannot ask for encryption: the algorithm is empty. Give AES256, aws:kms or aws:kms:dsse.");
        }
        if (kmsKey.isPresent() && !algorithm.startsWith("aws:kms")) {
            throw new IllegalArgumentException("Cannot ask for encryption: " + algorithm
                    + " does not use a KMS key. Leave the key out, or give aws:kms.");
        }
    }

    boolean usesKms() {
        return algorithm.startsWith("aws:kms");
    }
}
