package dev.blobshuffle.s3sim;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.function.Predicate;

/** Serves the requests of one connection, one after the other. Owned by its thread. */
final class Connection {
    private static final DateTimeFormatter HTTP_DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", java.util.Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final S3Sim sim;
    private final Wire wire;
    private final LineInput in;
    private final long resets;

    Connection(S3Sim sim, Wire wire) {
        this.sim = sim;
        this.wire = wire;
        in = new LineInput(wire.in());
        resets = sim.resets();
    }

    /** Serves until the client closes, the connection is idle too long, or a fault ends it. */
    void serve() {
        try {
            boolean goesOn = true;
            while (goesOn) {
                Optional<RequestHead> head = RequestHead.read(in);
                goesOn = head.isPresent() && serve(head.get());
            }
            wire.close();
        } catch (SocketTimeoutException e) {
            wire.close();
        } catch (IOException e) {
            wire.reset();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            wire.reset();
        }
    }

    /** Serves one request; returns whether the connection continues. */
    private boolean serve(RequestHead head) throws IOException, InterruptedException {
        long start = sim.nanos();
        RequestTarget target = RequestTarget.of(head, sim.domain());
        Counting counting = sim.counting(target.bucket());
        counting.request(target.operation());
        WireFault fault =
                sim.nextFault(new WireRequest(target.operation(), target.bucket(), target.key(), head.contentLength()));
        if (fault.kind() == WireFault.Kind.RESET || fault.kind() == WireFault.Kind.STALL) {
            counting.failure(target.operation());
            return hangAndReset(fault);
        }
        RequestBody body = new RequestBody(head, in, wire.out());
        Answer answer = answer(target, head, body, fault);
        boolean isReusable = body.skip() && !head.hasHeader("connection", "close");
        sim.waitUntil(
                start, sim.latency(target.operation(), answer.status(), head.contentLength(), answer.length()), resets);
        if (answer.status() >= 400 || breaksAnswer(fault)) {
            counting.failure(target.operation());
        }
        if (fault.kind() == WireFault.Kind.RESET_AFTER || fault.kind() == WireFault.Kind.STALL_AFTER) {
            return hangAndReset(fault);
        }
        if (target.operation() == Operation.GET_OBJECT && answer.status() < 300) {
            counting.sent(answer.length());
        }
        return send(head, answer, fault, isReusable);
    }

    private static boolean breaksAnswer(WireFault fault) {
        return switch (fault.kind()) {
            case RESET_AFTER, RESET_MIDWAY, STALL_AFTER, STALL_MIDWAY, TRUNCATE -> true;
            default -> false;
        };
    }

    private Answer answer(RequestTarget target, RequestHead head, RequestBody body, WireFault fault)
            throws IOException, InterruptedException {
        try {
            if (fault.kind() == WireFault.Kind.ERROR) {
                throw new RefusedException(fault.error().orElseThrow());
            }
            Instant now = sim.now();
            if (!sim.throttle()
                    .admits(target.bucket(), target.key(), target.operation().isWrite())) {
                throw new RefusedException(S3Error.SLOW_DOWN);
            }
            sim.gatekeeper().check(head, now);
            Answer answer = sim.service().answer(target, head, body, now, admission(target, fault));
            if (fault.kind() == WireFault.Kind.DELAY) {
                sim.waitUntil(sim.nanos(), fault.duration(), resets);
            }
            return fault.kind() == WireFault.Kind.ERROR_AFTER
                    ? fault.error().orElseThrow().answer()
                    : answer;
        } catch (RefusedException e) {
            return e.answer();
        }
    }

    /** The keys of a multi-delete that are admitted. */
    private Predicate<String> admission(RequestTarget target, WireFault fault) {
        if (fault.kind() == WireFault.Kind.SOME_KEYS_THROTTLED) {
            boolean[] isThrottled = {true};
            return key -> {
                isThrottled[0] = !isThrottled[0];
                return isThrottled[0];
            };
        }
        return key -> sim.throttle().admits(target.bucket(), key, true);
    }

    private boolean hangAndReset(WireFault fault) throws IOException, InterruptedException {
        sim.waitUntil(sim.nanos(), fault.duration(), resets);
        wire.reset();
        return false;
    }

    private boolean send(RequestHead head, Answer whole, WireFault fault, boolean isReusable)
            throws IOException, InterruptedException {
        Answer answer = fault.kind() == WireFault.Kind.FLIP ? whole.flipped() : whole;
        int bodyBytes = head.method().equals("HEAD") ? 0 : answer.length();
        switch (fault.kind()) {
            case TRUNCATE -> {
                wire.send(headOf(answer, isReusable), answer, bodyBytes / 2);
                return false;
            }
            case RESET_MIDWAY, STALL_MIDWAY -> {
                wire.send(headOf(answer, isReusable), answer, bodyBytes / 2);
                return hangAndReset(fault);
            }
            default -> {
                wire.send(headOf(answer, isReusable), answer, bodyBytes);
                return isReusable;
            }
        }
    }

    private String headOf(Answer answer, boolean isReusable) {
        StringBuilder head = new StringBuilder(400)
                .append("HTTP/1.1 ")
                .append(answer.status())
                .append(" -\r\nServer: S3Sim\r\nx-amz-request-id: S3SIM\r\nDate: ")
                .append(HTTP_DATE.format(sim.now()))
                .append("\r\n");
        answer.headers()
                .forEach((name, value) ->
                        head.append(name).append(": ").append(value).append("\r\n"));
        if (answer.status() != 204) {
            head.append("Content-Length: ").append(answer.length()).append("\r\n");
        }
        return head.append(isReusable ? "\r\n" : "Connection: close\r\n\r\n").toString();
    }
}
