package dev.blobshuffle.flightdaemon.internal.server.call;

import io.grpc.Grpc;
import io.grpc.ServerCall;
import java.util.Optional;

/**
 * The client that holds a share of a common resource.
 *
 * @param connection of the client
 * @param tenant of the client
 */
public record Holder(Object connection, Object tenant) {
    /** The client of the present call. A call without a connection is its own holder. */
    public static Holder of(ServerCall<?, ?> call) {
        Object address = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        return new Holder(Optional.ofNullable(address).orElse(call), Caller.present());
    }
}
