package dev.blobshuffle.flight.internal.client;

import dev.blobshuffle.core.failure.InvalidSettings;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.util.Optional;

/**
 * The release of gRPC on the class path. Its transport calls what is internal to its core, so the
 * two must be of one release, and a build tool may choose two: another library's core is often
 * nearer. Stateless.
 */
final class GrpcRelease {
    /** In the same jar as what the transport calls. */
    private static final String CORE = "io.grpc.internal.GrpcUtil";

    private GrpcRelease() {}

    /**
     * Checks what is on the class path.
     *
     * @throws InvalidSettings fatal: transport and core are of two releases
     */
    static void check() {
        Optional<String> core;
        try {
            core = release(Class.forName(CORE, false, GrpcRelease.class.getClassLoader()));
        } catch (ClassNotFoundException | LinkageError e) {
            throw new InvalidSettings("Cannot use gRPC: grpc-core is not there. Add io.grpc:grpc-core.", e);
        }
        check(release(NettyChannelBuilder.class), core);
    }

    /** Nothing is known of jars that were packed into one. */
    static void check(Optional<String> transport, Optional<String> core) {
        if (transport.isPresent() && core.isPresent() && !transport.equals(core)) {
            throw new InvalidSettings("Cannot use gRPC: grpc-netty-shaded is of release " + transport.get()
                    + ", grpc-core of " + core.get()
                    + ". Give all of gRPC one release: import io.grpc:grpc-bom in the newer of the two.");
        }
    }

    private static Optional<String> release(Class<?> type) {
        return Optional.ofNullable(type.getPackage().getImplementationVersion());
    }
}
