package dev.blobshuffle.flightdaemon.internal.server.read;

import dev.blobshuffle.flightdaemon.internal.server.call.Statuses;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Handles calls with one request and few, small answers. gRPC calls it on the daemon's threads.
 * Thread-safe.
 */
public final class Answering implements ServerCallHandler<byte[], byte[]> {
    /**
     * The longest request, bytes. Requests are tickets and bodies of actions, which are shorter
     * than the messages of a put.
     */
    static final int LONGEST_REQUEST = 4 << 20;

    private final Function<byte[], List<byte[]>> method;

    public Answering(Function<byte[], List<byte[]>> method) {
        this.method = method;
    }

    @Override
    public ServerCall.Listener<byte[]> startCall(ServerCall<byte[], byte[]> call, Metadata headers) {
        call.request(2);
        return new ServerCall.Listener<>() {
            private byte @Nullable [] request;

            @Override
            public void onMessage(byte[] message) {
                request = message;
            }

            @Override
            public void onHalfClose() {
                byte[] asked = request;
                if (asked == null) {
                    call.close(
                            Status.INVALID_ARGUMENT.withDescription("Cannot answer: no request came."), new Metadata());
                    return;
                }
                try {
                    checkLength(asked);
                    List<byte[]> answers = method.apply(asked);
                    call.sendHeaders(new Metadata());
                    answers.forEach(call::sendMessage);
                    call.close(Status.OK, new Metadata());
                } catch (RuntimeException e) {
                    call.close(Statuses.of(e), new Metadata());
                }
            }
        };
    }

    /** Requires that a request is not longer than {@link #LONGEST_REQUEST}. */
    static void checkLength(byte[] request) {
        if (request.length > LONGEST_REQUEST) {
            throw new IllegalArgumentException("Cannot answer a request of " + request.length + " bytes: at most "
                    + LONGEST_REQUEST + " are read. Ask for less at a time.");
        }
    }
}
