package dev.blobshuffle.flightdaemon.internal.server.call;

import dev.blobshuffle.flightdaemon.internal.blob.RefusedException;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException.Reason;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.Optional;
import java.util.Set;

/**
 * The identity of a caller.
 *
 * @param namespaces that the caller may use; {@code *}: all
 */
public record Caller(Set<String> namespaces) {
    private static final Context.Key<Caller> KEY = Context.key("blobshuffle-caller");
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    /** Any process on this machine, when no tokens are required. */
    public static final Caller ANY = new Caller(Set.of("*"));

    /** The caller of the present call. */
    public static Caller present() {
        return KEY.get();
    }

    public boolean may(String namespace) {
        return namespaces.contains("*") || namespaces.contains(namespace);
    }

    /** Requires that the caller may use a namespace. */
    public void check(String namespace) {
        if (!may(namespace)) {
            throw new RefusedException(
                    Reason.FORBIDDEN, "Cannot use namespace " + namespace + ": the token is for " + namespaces + ".");
        }
    }

    /**
     * Refuses calls without a valid token, and calls beyond the limit of their tenant. A valid
     * token makes the connection known.
     *
     * @param tokens empty: any caller may do everything
     */
    public static ServerInterceptor interceptor(
            Optional<Tokens> tokens, Connections connections, CallPlaces places, FlightCounters counters) {
        return new ServerInterceptor() {
            @Override
            public <Q, A> ServerCall.Listener<Q> interceptCall(
                    ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
                try {
                    Caller caller = tokens.map(known -> new Caller(known.authenticate(headers.get(AUTHORIZATION))))
                            .orElse(ANY);
                    connections.know(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR), caller);
                    return begun(caller, call, headers, next);
                } catch (RefusedException e) {
                    switch (e.reason()) {
                        case UNAUTHENTICATED -> counters.refused();
                        case EXHAUSTED -> counters.overLimit();
                        default -> {}
                    }
                    call.close(Statuses.of(e), new Metadata());
                    return new ServerCall.Listener<>() {};
                }
            }

            private <Q, A> ServerCall.Listener<Q> begun(
                    Caller caller, ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
                Runnable over = places.enter(caller);
                try {
                    return CallPlaces.whenOver(
                            Contexts.interceptCall(Context.current().withValue(KEY, caller), call, headers, next),
                            over);
                } catch (RuntimeException | Error e) { // No listener ends the call then.
                    over.run();
                    throw e;
                }
            }
        };
    }
}
