package dev.blobshuffle.flightdaemon.internal.server.http;

import dev.blobshuffle.flightdaemon.internal.blob.Catalog;
import dev.blobshuffle.flightdaemon.internal.blob.OpenBlob;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException.Reason;
import dev.blobshuffle.flightdaemon.internal.blob.Shuffle;
import dev.blobshuffle.flightdaemon.internal.blob.StoredBlob;
import dev.blobshuffle.flightdaemon.internal.server.call.Caller;
import dev.blobshuffle.flightdaemon.internal.server.call.FlightCounters;
import dev.blobshuffle.flightdaemon.internal.server.call.Tokens;
import dev.blobshuffle.flightdaemon.internal.ticket.Ticket;
import dev.blobshuffle.flightdaemon.internal.ticket.TicketSigner;
import io.grpc.netty.shaded.io.netty.handler.codec.http.DefaultHttpHeaders;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderNames;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaders;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpMethod;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpResponseStatus;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpUtil;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpVersion;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the blob that an HTTP request names: {@code /NAMESPACE/SHUFFLE/BLOB}, as a whole or a
 * range, like an object store. Does not verify the checksums of the bytes; readers do. Thread-safe.
 */
public final class HttpBlobs {
    private static final String BEARER = "Bearer ";

    private final Catalog catalog;
    private final TicketSigner signer;
    private final Optional<Tokens> tokens;
    private final FlightCounters counters;

    /** @param tokens empty: any client may read everything */
    public HttpBlobs(Catalog catalog, TicketSigner signer, Optional<Tokens> tokens, FlightCounters counters) {
        this.catalog = catalog;
        this.signer = signer;
        this.tokens = tokens;
        this.counters = counters;
    }

    /** The number of tenants. */
    int tenants() {
        return tokens.map(Tokens::tenants).orElse(1);
    }

    /** The client of a request. It presents a token, or only a ticket. */
    private record Reader(Caller caller, Optional<Ticket> ticket) {}

    /** Answers a request. Blocks on the disk. */
    HttpAnswer answer(HttpRequest request) {
        try {
            checkForm(request);
            Reader reader = reader(one(request, HttpHeaderNames.AUTHORIZATION));
            if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
                HttpAnswer refusal = HttpAnswer.failure(
                        HttpResponseStatus.METHOD_NOT_ALLOWED,
                        "Cannot change blobs: they are read-only. Send GET or HEAD.");
                refusal.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
                return refusal;
            }
            return find(request, reader);
        } catch (RefusedException e) {
            if (e.reason() == Reason.UNAUTHENTICATED) {
                counters.refused();
            }
            return HttpAnswer.of(e);
        } catch (RuntimeException e) {
            return HttpAnswer.of(e);
        }
    }

    /** Refuses requests that two parsers could read in two ways. */
    private static void checkForm(HttpRequest request) {
        if (HttpUtil.isTransferEncodingChunked(request)
                || request.headers().contains(HttpHeaderNames.TRANSFER_ENCODING)
                || HttpUtil.getContentLength(request, 0L) != 0) {
            throw new RefusedException(Reason.INVALID, "Cannot take a body: blobs are read-only. Send none.");
        }
        if (one(request, HttpHeaderNames.HOST) == null
                && request.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
            throw new RefusedException(Reason.INVALID, "Cannot answer: the request has no header Host.");
        }
    }

    private static @Nullable String one(HttpRequest request, CharSequence name) {
        List<String> values = request.headers().getAll(name);
        if (values.size() > 1) {
            throw new RefusedException(Reason.INVALID, "Cannot answer: the request has several headers " + name + ".");
        }
        return values.isEmpty() ? null : values.get(0);
    }

    private Reader reader(@Nullable String authorization) {
        if (tokens.isEmpty()) {
            return new Reader(Caller.ANY, Optional.empty());
        }
        try {
            return new Reader(new Caller(tokens.get().authenticate(authorization)), Optional.empty());
        } catch (RefusedException e) {
            byte[] bytes = ticket(authorization).filter(TicketSigner::isTicket).orElseThrow(() -> e);
            Ticket ticket = signer.verify(bytes);
            return new Reader(new Caller(Set.of(ticket.namespace())), Optional.of(ticket));
        }
    }

    private static Optional<byte[]> ticket(@Nullable String authorization) {
        if (authorization == null || !authorization.startsWith(BEARER)) {
            return Optional.empty();
        }
        try {
            return Optional.of(Base64.getDecoder().decode(authorization.substring(BEARER.length())));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private HttpAnswer find(HttpRequest request, Reader reader) {
        // Names are used as they are: a name with '%' or '..' is illegal.
        String[] names = request.uri().split("/", -1);
        if (names.length != 4 || !names[0].isEmpty()) {
            throw new RefusedException(
                    Reason.UNKNOWN, "Cannot find a blob: the path is not /NAMESPACE/SHUFFLE/BLOB, as the blob's file.");
        }
        reader.caller().check(names[1]);
        return catalog.read(names[1], names[2], shuffle -> find(request, reader, shuffle, names[3]));
    }

    private static HttpAnswer find(HttpRequest request, Reader reader, Shuffle shuffle, String file) {
        StoredBlob blob = shuffle.blob(file);
        reader.ticket().ifPresent(ticket -> checkMap(ticket, shuffle, blob));
        OpenBlob open = blob.open();
        try {
            HttpAnswer answer = answer(request, reader, blob, open);
            if (answer.part().isEmpty()) {
                open.close();
            }
            return answer;
        } catch (RuntimeException e) {
            open.close();
            throw e;
        }
    }

    private static void checkMap(Ticket ticket, Shuffle shuffle, StoredBlob blob) {
        if (!ticket.shuffle().equals(shuffle.name()) || !shuffle.has(ticket.maps(), blob)) {
            throw new RefusedException(Reason.FORBIDDEN, "Cannot read " + blob + ": the ticket is for other maps.");
        }
    }

    private static HttpAnswer answer(HttpRequest request, Reader reader, StoredBlob blob, OpenBlob open) {
        String entity = '"' + blob.identity(open) + '"';
        HttpHeaders headers = new DefaultHttpHeaders();
        headers.set(HttpHeaderNames.ETAG, entity).set(HttpHeaderNames.ACCEPT_RANGES, "bytes");
        String match = one(request, HttpHeaderNames.IF_MATCH);
        if (match != null && !names(match, entity)) {
            return HttpAnswer.failure(
                    HttpResponseStatus.PRECONDITION_FAILED, "Cannot read " + blob + ": it is " + entity + " now.");
        }
        String noneMatch = one(request, HttpHeaderNames.IF_NONE_MATCH);
        if (noneMatch != null && names(noneMatch, entity)) {
            return new HttpAnswer(HttpResponseStatus.NOT_MODIFIED, headers, "", Optional.empty());
        }
        try {
            HttpRange range = range(request, entity, open.length());
            if (request.method().equals(HttpMethod.GET)) {
                reader.ticket().ifPresent(ticket -> checkRange(ticket, blob, open, range));
            }
            return HttpAnswer.bytes(open, range, headers, reader.caller());
        } catch (HttpRange.Unsatisfiable e) {
            HttpAnswer refusal = HttpAnswer.failure(
                    HttpResponseStatus.REQUESTED_RANGE_NOT_SATISFIABLE,
                    "Cannot read " + blob + ": " + e.getMessage() + ".");
            refusal.headers().set(HttpHeaderNames.CONTENT_RANGE, "bytes */" + open.length());
            return refusal;
        }
    }

    /**
     * Requires that a ticket permits a range. A blob has bytes of all partitions, a ticket only
     * permits some.
     */
    private static void checkRange(Ticket ticket, StoredBlob blob, OpenBlob open, HttpRange range) {
        if (!blob.footer(open).isWithin(ticket.partitions(), range.first(), range.end())) {
            throw new RefusedException(
                    Reason.FORBIDDEN,
                    "Cannot read [" + range.first() + ", " + range.end() + ") of " + blob
                            + ": the ticket opens the segments of " + ticket.partitions()
                            + ", the prelude and the footer. Ask for these bytes only.");
        }
    }

    private static HttpRange range(HttpRequest request, String entity, long length) throws HttpRange.Unsatisfiable {
        String condition = one(request, HttpHeaderNames.IF_RANGE);
        boolean isAsked = request.method().equals(HttpMethod.GET) && (condition == null || condition.equals(entity));
        return isAsked ? HttpRange.parse(one(request, HttpHeaderNames.RANGE), length) : HttpRange.whole(length);
    }

    private static boolean names(String entities, String entity) {
        for (String one : entities.split(",", -1)) {
            if (one.trim().equals(entity) || one.trim().equals("*")) {
                return true;
            }
        }
        return false;
    }
}
