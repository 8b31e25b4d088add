package dev.blobshuffle.flight.internal.client;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.util.Optional;

/**
 * Checks the releases of gRPC on the class path. The transport calls internals of the core, so both
 * must be of the same release. A build tool may select two, because another library's dependency on
 * the core is often nearer. Stateless.
 */
final class GrpcRelease {
    /** A class in the same jar as the internals that the transport calls. */
    private static final String CORE = "io.grpc.internal.GrpcUtil";

    private GrpcRelease() {}

    /**
     * Checks the class path.
     *
     * @throws InvalidSettingsException fatal: transport and core are of two releases
     */
    static void check() {
        Optional<String> core;
        try {
            core = release(Class.forName(CORE, false, GrpcRelease.class.getClassLoader()));
        } catch (ClassNotFoundException | LinkageError e) {
            throw new InvalidSettingsException("Cannot use gRPC: grpc-core is not there. Add io.grpc:grpc-core.", e);
        }
        check(release(NettyChannelBuilder.class), core);
    }

    /** Compares two releases. An empty one, as in a shaded jar, is not checked. */
    static void check(Optional<String> transport, Optional<String> core) {
        if (transport.isPresent() && core.isPresent() && !transport.equals(core)) {
            throw new InvalidSettingsException("Cannot use gRPC: grpc-netty-shaded is of release " + transport.get()
                    + ", grpc-core of " + core.get()
                    + ". Give all of gRPC one release: import io.grpc:grpc-bom in the newer of the two.");
        }
    }

    private static Optional<String> release(Class<?> type) {
        return Optional.ofNullable(type.getPackage().getImplementationVersion());
    }
}
