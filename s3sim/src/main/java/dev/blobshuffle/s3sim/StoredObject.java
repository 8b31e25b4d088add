package dev.blobshuffle.s3sim;

import java.time.Instant;
import java.util.Map;

/**
 * An object.
 *
 * @param bytes never changed
 * @param etag quoted; not an MD5, which clients may not expect anyway
 * @param headers further headers of the answer to a get: checksums and the content's type
 */
@SuppressWarnings("ArrayRecordComponent") // shared on purpose, never compared
record StoredObject(byte[] bytes, String etag, Instant modified, Map<String, String> headers) {
    StoredObject {
        headers = Map.copyOf(headers);
    }
}
