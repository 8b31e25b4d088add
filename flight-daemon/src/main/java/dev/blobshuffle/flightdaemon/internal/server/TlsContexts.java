package dev.blobshuffle.flightdaemon.internal.server;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLException;

/** Creates the daemon's TLS contexts. Stateless. */
final class TlsContexts {
    private TlsContexts() {}

    /**
     * A context with the daemon's certificate.
     *
     * @param protocol adds the settings of the protocol above TLS
     * @throws InvalidSettingsException fatal: certificate or key is unusable
     */
    static SslContext of(FlightConfig.Security.Tls tls, UnaryOperator<SslContextBuilder> protocol) {
        try {
            PrivateFiles.check(tls.key());
            return protocol.apply(SslContextBuilder.forServer(
                            tls.certificate().toFile(), tls.key().toFile()))
                    .build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new InvalidSettingsException(
                    "Cannot use certificate " + tls.certificate() + " with key " + tls.key() + ": " + e.getMessage()
                            + ". Give PEM files, the key in PKCS#8.",
                    e);
        } catch (IOException e) {
            throw new InvalidSettingsException("Cannot read " + tls.key() + ": " + e + ". Give a PEM file.", e);
        }
    }
}
