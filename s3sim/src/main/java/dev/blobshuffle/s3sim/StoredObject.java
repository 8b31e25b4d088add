package dev.blobshuffle.s3sim;

import java.time.Instant;
import java.util.Map;

/**
 * A stored object.
 *
 * @param bytes never changed
 * @param etag quoted; not an MD5, which clients must not expect
 * @param headers further headers of the answer to a get: checksums and the content type
 */
@SuppressWarnings("ArrayRecordComponent") // shared on purpose, never compared
record StoredObject(byte[] bytes, String etag, Instant modified, Map<String, String> headers) {
    StoredObject {
        headers = Map.copyOf(headers);
    }
}
