package dev.blobshuffle.flight.internal.client;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLException;

/** Opens connections to a daemon. Stateless. */
public final class Channels {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private Channels() {}

    /**
     * Opens a connection, with TLS and the token if there is one.
     *
     * @throws InvalidSettingsException fatal: the authority's file is unusable, or the class path
     *     mixes two releases of gRPC
     */
    public static ManagedChannel open(String host, int port, Optional<Path> trust, Optional<String> token) {
        GrpcRelease.check();
        NettyChannelBuilder builder =
                NettyChannelBuilder.forAddress(host, port).maxInboundMessageSize(Integer.MAX_VALUE);
        if (token.isEmpty()) {
            return builder.usePlaintext().build();
        }
        if (trust.isPresent()) {
            try {
                builder.sslContext(GrpcSslContexts.forClient()
                        .trustManager(trust.get().toFile())
                        .build());
            } catch (SSLException | IllegalArgumentException e) {
                throw new InvalidSettingsException(
                        "Cannot trust the authority of " + trust.get() + ": " + e.getMessage() + ". Give a PEM file.",
                        e);
            }
        }
        return builder.intercept(bearer(token.get())).build();
    }

    private static ClientInterceptor bearer(String token) {
        return new ClientInterceptor() {
            @Override
            public <Q, A> ClientCall<Q, A> interceptCall(
                    MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
                return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
                    @Override
                    public void start(Listener<A> listener, Metadata headers) {
                        headers.put(AUTHORIZATION, "Bearer " + token);
                        super.start(listener, headers);
                    }
                };
            }
        };
    }
}
