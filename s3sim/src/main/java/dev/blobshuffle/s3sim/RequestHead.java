package dev.blobshuffle.s3sim;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Request line and headers of an HTTP/1.1 request.
 *
 * @param method for example {@code PUT}
 * @param path decoded, with its leading slash
 * @param query decoded; parameters without a value have an empty value
 * @param headers by lower-case name; the last of repeated ones
 */
record RequestHead(String method, String path, Map<String, String> query, Map<String, String> headers) {
    private static final int MAX_HEADERS = 200;

    RequestHead {
        query = Map.copyOf(query);
        headers = Map.copyOf(headers);
    }

    /** Reads a head; empty if the stream ends before. */
    static Optional<RequestHead> read(LineInput in) throws IOException {
        String line = in.readLine();
        if (line == null) {
            return Optional.empty();
        }
        String[] words = line.split(" ", -1);
        if (words.length != 3 || !words[2].startsWith("HTTP/1.") || !words[1].startsWith("/")) {
            throw new IOException("this is not an HTTP request");
        }
        Map<String, String> headers = new HashMap<>();
        for (String header = in.readLine(); header != null && !header.isEmpty(); header = in.readLine()) {
            int colon = header.indexOf(':');
            if (colon < 1 || headers.size() == MAX_HEADERS) {
                throw new IOException("a header has no name, or there are more than " + MAX_HEADERS);
            }
            headers.put(
                    header.substring(0, colon).toLowerCase(Locale.ROOT),
                    header.substring(colon + 1).strip());
        }
        int mark = words[1].indexOf('?');
        try {
            return Optional.of(new RequestHead(
                    words[0],
                    decoded((mark < 0 ? words[1] : words[1].substring(0, mark)).replace("+", "%2B")),
                    mark < 0 ? Map.of() : query(words[1].substring(mark + 1)),
                    headers));
        } catch (IllegalArgumentException e) {
            throw new IOException("the request's target is not encoded well", e);
        }
    }

    private static Map<String, String> query(String text) {
        Map<String, String> query = new HashMap<>();
        for (String pair : text.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (!pair.isEmpty()) {
                query.put(
                        decoded(equals < 0 ? pair : pair.substring(0, equals)),
                        equals < 0 ? "" : decoded(pair.substring(equals + 1)));
            }
        }
        return query;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    boolean hasHeader(String name, String value) {
        return value.equalsIgnoreCase(headers.get(name));
    }

    /** The bytes of the body on the wire; 0 if there is none. */
    long contentLength() throws IOException {
        String length = headers.getOrDefault("content-length", "0");
        try {
            return Long.parseUnsignedLong(length);
        } catch (NumberFormatException e) {
            throw new IOException("Content-Length is not a number", e);
        }
    }

    boolean isHttpChunked() {
        return headers.getOrDefault("transfer-encoding", "")
                .toLowerCase(Locale.ROOT)
                .contains("chunked");
    }

    boolean isAwsChunked() {
        return headers.getOrDefault("content-encoding", "")
                        .toLowerCase(Locale.ROOT)
                        .contains("aws-chunked")
                || headers.getOrDefault("x-amz-content-sha256", "").startsWith("STREAMING-");
    }
}
