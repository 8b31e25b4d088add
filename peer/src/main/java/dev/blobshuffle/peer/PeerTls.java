package dev.blobshuffle.peer;

import dev.blobshuffle.core.failure.InvalidSettings;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.nio.file.Path;
import javax.net.ssl.SSLException;

/**
 * Both ends of TLS, from files: each side shows a certificate of the same authority, which signs those of members and of nobody else. So names are not compared: members are
 * reached by addresses that change. Immutable.
 */
public final class PeerTls {
    private final SslContext server;
    private final SslContext client;

    private PeerTls(SslContext server, SslContext client) {
        this.server = server;
        this.client = client;
    }

    /**
     * Reads certificates.
     *
     * @param certificate this member's, and those between it and the authority; PEM
     * @param key its private key; PEM, PKCS#8, not encrypted
     * @param trust the authority's; PEM
     * @throws InvalidSettings fatal: a file cannot be read or used
     */
    public static PeerTls read(Path certificate, Path key, Path trust) {
        try {
            SslContext server = SslContextBuilder.forServer(certificate.toFile(), key.toFile())
                    .sslProvider(SslProvider.JDK)
                    .trustManager(trust.toFile())
                    .clientAuth(ClientAuth.REQUIRE)
                    .protocols("TLSv1.3")
                    .build();
            SslContext client = SslContextBuilder.forClient()
                    .sslProvider(SslProvider.JDK)
                    .keyManager(certificate.toFile(), key.toFile())
                    .trustManager(trust.toFile())
                    .endpointIdentificationAlgorithm("")
                    .protocols("TLSv1.3")
                    .build();
            return new PeerTls(server, client);
        } catch (SSLException | IllegalArgumentException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new InvalidSettings(
                    "Cannot use the certificates in peer.tls.*: " + cause
                            + ". Give PEM files: a certificate, its key as PKCS#8 without a password, and the authority's certificate.",
                    e);
        }
    }

    SslContext server() {
        return server;
    }

    SslContext client() {
        return client;
    }
}
