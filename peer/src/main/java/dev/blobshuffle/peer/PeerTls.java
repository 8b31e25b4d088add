package dev.blobshuffle.peer;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.membership.PeerSecret;
import io.netty.handler.ssl.SslContext;
import java.nio.file.Path;

/** Both ends of TLS 1.3 between members. Thread-safe. */
public interface PeerTls {
    /** For a connection that another member opens now. */
    SslContext server();

    /** For a connection to another member that is opened now. */
    SslContext client();

    /**
     * TLS with certificates from files, which are read again when they change.
     *
     * @param certificate this member's, and those between it and the authority; PEM
     * @param key its private key; PEM, PKCS#8, not encrypted; readable by this user only
     * @param trust the authority's; PEM
     * @throws InvalidSettings fatal: a file cannot be read or used
     */
    static PeerTls read(Path certificate, Path key, Path trust) {
        return new FileTls(certificate, key, trust);
    }

    /** TLS with a certificate that this member makes itself, as {@link MemberCertificate} describes. */
    static PeerTls of(PeerSecret secret) {
        return SecretTls.create(secret);
    }
}
