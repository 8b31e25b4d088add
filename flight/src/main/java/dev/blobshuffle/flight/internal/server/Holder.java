package dev.blobshuffle.flight.internal.server;

import io.grpc.Grpc;
import io.grpc.ServerCall;
import java.util.Optional;

/**
 * Who holds a part of what clients share.
 *
 * @param connection of the client
 * @param tenant that the client belongs to
 */
record Holder(Object connection, Object tenant) {
    /** The client of the present call. A call without a connection stands for itself. */
    static Holder of(ServerCall<?, ?> call) {
        Object address = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        return new Holder(Optional.ofNullable(address).orElse(call), Caller.present());
    }
}
