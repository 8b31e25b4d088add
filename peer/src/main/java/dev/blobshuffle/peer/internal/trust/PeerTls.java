package dev.blobshuffle.peer.internal.trust;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.membership.PeerSecret;
import io.netty.handler.ssl.SslContext;
import java.nio.file.Path;
import java.util.List;

/** Both ends of TLS 1.3 between members. Thread-safe. */
public interface PeerTls {
    /** The context for the next connection from another member. */
    SslContext server();

    /** The context for the next connection to another member. */
    SslContext client();

    /**
     * TLS with certificates from files. It reads the files again when they change.
     *
     * @param certificate this member's certificate, and those between it and the authority; PEM
     * @param key its private key; PEM, PKCS#8, not encrypted; readable by this user only
     * @param trust the authority's certificate; PEM
     * @throws InvalidSettingsException fatal: a file is unreadable or unusable
     */
    static PeerTls read(Path certificate, Path key, Path trust) {
        return new FileTls(certificate, key, trust);
    }

    /**
     * TLS with a certificate that this member creates itself, as {@link MemberCertificate}
     * describes.
     *
     * @param secrets all that members accept; the first one proves the certificate
     */
    static PeerTls of(List<PeerSecret> secrets) {
        return SecretTls.create(secrets);
    }
}
