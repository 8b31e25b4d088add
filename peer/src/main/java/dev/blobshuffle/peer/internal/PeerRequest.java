package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.internal.membership.PeerSecret;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.zone.Zone;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP request for a range of a blob. The path has the key, and the range has the form that
 * object stores use. Custom headers name the section, the store, and the requester's zone.
 * Stateless.
 *
 * @param id the blob
 * @param range the range, with its section
 * @param store fingerprint of the requester's store
 * @param zone the requester's zone; empty if unknown
 */
record PeerRequest(BlobId id, BlobRange range, int store, Optional<Zone> zone) {
    private static final String PATH = "/blobs/";
    private static final String SECTION = "blobshuffle-section";
    private static final String STORE = "blobshuffle-store";
    private static final String ZONE = "blobshuffle-zone";
    private static final String CHALLENGE = "blobshuffle-challenge";
    private static final String BYTES = "bytes=";
    private static final int MOST_DIGITS = 18;
    private static final int FINGERPRINT_DIGITS = 8;

    /**
     * The proof that a request without TLS demands of its answer.
     *
     * @param nonce never used before by this client
     * @param isSealed whether the answer's content needs a MAC
     */
    record Challenge(String nonce, boolean isSealed) {
        private static final String PLAIN = "head ";
        private static final String SEALED = "content ";

        private String text() {
            return (isSealed ? SEALED : PLAIN) + nonce;
        }
    }

    /**
     * The HTTP request.
     *
     * @param challenge empty if TLS authenticates the answer
     */
    HttpRequest write(String host, Optional<PeerSecret> secret, Optional<Challenge> challenge) {
        HttpRequest request = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1, HttpMethod.GET, PATH + BlobKey.of(id), Unpooled.EMPTY_BUFFER);
        request.headers()
                .set(HttpHeaderNames.HOST, host)
                .set(HttpHeaderNames.RANGE, bytes(range.offset(), range.length()))
                .set(SECTION, bytes(range.sectionOffset(), range.sectionLength()))
                .set(STORE, String.format(Locale.ROOT, "%08x", store));
        zone.ifPresent(own -> request.headers().set(ZONE, URLEncoder.encode(own.name(), StandardCharsets.UTF_8)));
        challenge.ifPresent(demand -> request.headers().set(CHALLENGE, demand.text()));
        secret.ifPresent(known -> request.headers().set(HttpHeaderNames.AUTHORIZATION, known.sign(signed(request))));
        return request;
    }

    private static String bytes(long offset, long length) {
        return "bytes=" + offset + "-" + (offset + length - 1);
    }

    /** Whether a request of any kind proves that its sender knows the secret. */
    static boolean isProven(HttpRequest request, PeerSecret secret) {
        String proof = request.headers().get(HttpHeaderNames.AUTHORIZATION);
        return proof != null && secret.accepts(signed(request), proof);
    }

    /** The text that the proof covers: everything that determines the answer. */
    private static String signed(HttpRequest request) {
        HttpHeaders headers = request.headers();
        String zone = headers.get(ZONE);
        String challenge = headers.get(CHALLENGE);
        return request.method() + "\n" + request.uri() + "\n" + headers.get(HttpHeaderNames.RANGE, "") + "\n"
                + headers.get(SECTION, "") + "\n" + headers.get(STORE, "")
                + (zone == null ? "" : "\n" + zone)
                + (challenge == null ? "" : "\n" + challenge);
    }

    /** The proof that a request demands of its answer; empty if it demands none. */
    static Optional<AnswerProof> demanded(HttpRequest request, PeerSecret key) {
        String challenge = request.headers().get(CHALLENGE);
        return challenge == null
                ? Optional.empty()
                : Optional.of(new AnswerProof(key, signed(request), challenge.startsWith(Challenge.SEALED)));
    }

    /**
     * Reads a request.
     *
     * @throws IllegalArgumentException if the request is not for a range of a blob; the message
     *     says why
     */
    static PeerRequest read(HttpRequest request) {
        String uri = request.uri();
        Optional<BlobId> id = uri.startsWith(PATH) ? BlobKey.parse(uri.substring(PATH.length())) : Optional.empty();
        if (id.isEmpty()) {
            throw new IllegalArgumentException("Cannot find a blob: the path is not /blobs/<key>.");
        }
        long[] part = bytes(request.headers().get(HttpHeaderNames.RANGE), "Range");
        String section = request.headers().get(SECTION);
        long[] whole = section == null ? part : bytes(section, SECTION);
        String store = request.headers().get(STORE, "");
        if (store.length() != FINGERPRINT_DIGITS || !store.chars().allMatch(PeerRequest::isHexDigit)) {
            throw new IllegalArgumentException(
                    "Cannot identify the store: the header " + STORE + " is not 8 hex digits.");
        }
        return new PeerRequest(
                id.get(),
                new BlobRange(whole[0], whole[1], part[0], part[1]),
                Integer.parseUnsignedInt(store, 16),
                zone(request.headers().get(ZONE)));
    }

    private static Optional<Zone> zone(@Nullable String header) {
        return header == null
                ? Optional.empty()
                : Optional.of(new Zone(URLDecoder.decode(header, StandardCharsets.UTF_8)));
    }

    private static boolean isHexDigit(int character) {
        return character >= '0' && character <= '9' || character >= 'a' && character <= 'f';
    }

    /**
     * Parsed without regular expressions, which took a sixth of a request's cost apart from its
     * bytes.
     */
    private static long[] bytes(@Nullable String header, String name) {
        int dash = header == null || !header.startsWith(BYTES) ? -1 : header.indexOf('-', BYTES.length());
        if (header == null
                || dash < 0
                || !isNumber(header, BYTES.length(), dash)
                || !isNumber(header, dash + 1, header.length())) {
            throw new IllegalArgumentException(
                    "Cannot read a range: the header " + name + " is not bytes=<first>-<last>.");
        }
        long first = Long.parseLong(header, BYTES.length(), dash, 10);
        long last = Long.parseLong(header, dash + 1, header.length(), 10);
        return new long[] {first, last - first + 1};
    }

    private static boolean isNumber(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return to > from && to - from <= MOST_DIGITS;
    }
}
