package dev.blobshuffle.flightdaemon.internal.server.http;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.flightdaemon.internal.blob.OpenBlob;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException;
import dev.blobshuffle.flightdaemon.internal.server.call.Caller;
import dev.blobshuffle.flightdaemon.internal.server.call.FailureMessages;
import io.grpc.netty.shaded.io.netty.handler.codec.http.DefaultHttpHeaders;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderNames;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaders;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answer to an HTTP request.
 *
 * @param status of the answer
 * @param headers in addition to those of length and connection
 * @param text the body, unless it is part of a blob
 * @param part the body, if it is part of a blob
 */
public record HttpAnswer(HttpResponseStatus status, HttpHeaders headers, String text, Optional<Part> part) {
    private static final Logger LOG = LoggerFactory.getLogger(HttpAnswer.class);

    /**
     * Bytes of a blob.
     *
     * @param blob stays open until the bytes have been sent
     * @param range of the bytes
     * @param tenant of the client
     */
    record Part(OpenBlob blob, HttpRange range, Caller tenant) {}

    /** An answer with a blob, whole or in part. */
    static HttpAnswer bytes(OpenBlob blob, HttpRange range, HttpHeaders headers, Caller tenant) {
        headers.set(HttpHeaderNames.CONTENT_TYPE, "application/octet-stream");
        if (range.isPartial()) {
            headers.set(
                    HttpHeaderNames.CONTENT_RANGE,
                    "bytes " + range.first() + "-" + (range.end() - 1) + "/" + blob.length());
        }
        return new HttpAnswer(
                range.isPartial() ? HttpResponseStatus.PARTIAL_CONTENT : HttpResponseStatus.OK,
                headers,
                "",
                Optional.of(new Part(blob, range, tenant)));
    }

    /** An answer for a failure, with its reason as text. */
    static HttpAnswer failure(HttpResponseStatus status, String reason) {
        HttpHeaders headers = new DefaultHttpHeaders();
        headers.set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8");
        return new HttpAnswer(status, headers, reason + "\n", Optional.empty());
    }

    /** The answer for an exception. Its message contains no secret, so the client gets it. */
    public static HttpAnswer of(RuntimeException failure) {
        String reason = String.valueOf(failure.getMessage());
        if (failure instanceof RefusedException refused) {
            HttpAnswer answer = failure(status(refused.reason()), reason);
            if (refused.reason() == RefusedException.Reason.UNAUTHENTICATED) {
                answer.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
            }
            return answer;
        }
        if (failure instanceof BlobMissingException) {
            return failure(HttpResponseStatus.NOT_FOUND, reason);
        }
        if (failure instanceof BlobCorruptException damage) {
            FailureMessages.warn(damage);
            return failure(HttpResponseStatus.CONFLICT, reason);
        }
        if (failure instanceof StoreUnavailableException unavailable) {
            FailureMessages.warn(unavailable);
            return failure(HttpResponseStatus.SERVICE_UNAVAILABLE, reason);
        }
        if (failure instanceof ClosedException) {
            return failure(HttpResponseStatus.SERVICE_UNAVAILABLE, FailureMessages.ENDS);
        }
        LOG.error("A request failed.", failure);
        return failure(HttpResponseStatus.INTERNAL_SERVER_ERROR, FailureMessages.FAILED);
    }

    private static HttpResponseStatus status(RefusedException.Reason reason) {
        return switch (reason) {
            case INVALID -> HttpResponseStatus.BAD_REQUEST;
            case UNAUTHENTICATED -> HttpResponseStatus.UNAUTHORIZED;
            case FORBIDDEN -> HttpResponseStatus.FORBIDDEN;
            case UNKNOWN -> HttpResponseStatus.NOT_FOUND;
            case INCOMPLETE -> HttpResponseStatus.CONFLICT;
            case EXHAUSTED, BUSY -> HttpResponseStatus.SERVICE_UNAVAILABLE;
        };
    }

    /** Whether the request was malformed. The connection ends after the answer then. */
    boolean isLast() {
        return status.equals(HttpResponseStatus.BAD_REQUEST)
                || status.equals(HttpResponseStatus.UNAUTHORIZED)
                || status.equals(HttpResponseStatus.METHOD_NOT_ALLOWED)
                || status.equals(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE);
    }

    /** Closes the blob of an answer that is not sent. */
    void drop() {
        part.ifPresent(bytes -> bytes.blob().close());
    }
}
