package dev.blobshuffle.s3sim;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An HTTP response. Its body is a slice of an array, which is not copied.
 *
 * @param status the HTTP status
 * @param headers except those of the connection and {@code Content-Length}
 * @param body array that contains the body
 * @param offset of the body in the array
 * @param length of the body, bytes
 */
@SuppressWarnings("ArrayRecordComponent") // shared on purpose, never compared
record Answer(int status, Map<String, String> headers, byte[] body, int offset, int length) {
    private static final byte[] NOTHING = {};

    static Answer empty(int status) {
        return new Answer(status, Map.of(), NOTHING, 0, 0);
    }

    static Answer xml(int status, String elements) {
        byte[] bytes = ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + elements).getBytes(StandardCharsets.UTF_8);
        return new Answer(status, Map.of("Content-Type", "application/xml"), bytes, 0, bytes.length);
    }

    Answer with(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Answer(status, more, body, offset, length);
    }

    /** A copy with one bit of the body changed. An empty body stays unchanged. */
    Answer flipped() {
        if (length == 0) {
            return this;
        }
        byte[] copy = new byte[length];
        System.arraycopy(body, offset, copy, 0, length);
        copy[length / 2] ^= 0x10;
        return new Answer(status, headers, copy, 0, length);
    }
}
