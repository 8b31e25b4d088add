package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.PeerSecret;
import dev.blobshuffle.core.internal.membership.PeerSettings;
import dev.blobshuffle.core.internal.membership.PeerTransport;
import io.netty.handler.ssl.SslContext;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How members authenticate each other, and how bytes between them are protected.
 *
 * <pre>
 *                          peer.transport = auto            tls    mac
 *   secret, loopback       plain, proof in the head         TLS    plain, MAC over all bytes
 *   secret, elsewhere      TLS, certificate by the secret   TLS    plain, MAC over all bytes
 *   certificate files      TLS, both sides of the authority TLS    refused at start
 * </pre>
 *
 * <p>Thread-safe.
 */
public final class PeerTrust {
    private static final String ANSWERS = "blobshuffle answer 1";
    private static final Pattern LOOPBACK =
            Pattern.compile("localhost|127\\.[0-9.]+|(0*:){2,7}0*1", Pattern.CASE_INSENSITIVE);

    private final Optional<PeerSecret> secret;
    private final Optional<PeerSecret> answers;
    private final Optional<PeerTls> certificates;
    private final PeerTransport transport;

    /** Created for the first connection that needs it. Guarded by this. */
    private @Nullable PeerTls ownTls;

    /**
     * Trust by a secret, certificates or both.
     *
     * @param secret the secret that members prove to know; required without certificates
     * @param certificates certificates from files; empty: members create their own from the secret
     * @param transport how bytes are protected
     * @throws InvalidSettings fatal: neither is given, or the options are incompatible
     */
    public PeerTrust(Optional<PeerSecret> secret, Optional<PeerTls> certificates, PeerTransport transport) {
        if (secret.isEmpty() && certificates.isEmpty()) {
            throw new InvalidSettings(
                    "Cannot connect instances: neither " + PeerSettings.SECRET_FILE + " nor "
                            + PeerSettings.TLS_CERTIFICATE_FILE
                            + " is given, so any client could read blobs. Give all instances the same secret, or certificates.");
        }
        if (transport == PeerTransport.MAC && certificates.isPresent()) {
            throw new InvalidSettings("Cannot use " + PeerSettings.TRANSPORT + "=mac with "
                    + PeerSettings.TLS_CERTIFICATE_FILE + ": certificates are for TLS. Remove one of them.");
        }
        this.secret = secret;
        this.answers = secret.map(known -> known.forPurpose(ANSWERS));
        this.certificates = certificates;
        this.transport = transport;
    }

    /** The secret that signs requests; empty if only certificates are used. */
    Optional<PeerSecret> secret() {
        return secret;
    }

    /** The key that signs answers without TLS. */
    Optional<PeerSecret> answers() {
        return answers;
    }

    /** Both ends of TLS. */
    synchronized PeerTls tls() {
        if (certificates.isPresent()) {
            return certificates.get();
        }
        if (ownTls == null) {
            ownTls = PeerTls.of(
                    secret.orElseThrow(() -> new IllegalStateException("Cannot make a certificate without a secret.")));
        }
        return ownTls;
    }

    /**
     * Creates keys now if connections will probably need them, because creating them takes longer
     * than the allowed silence.
     */
    void prepare(Optional<Endpoint> listen) {
        boolean isLocal = listen.filter(where -> isLoopback(where.host())).isPresent();
        if (transport == PeerTransport.TLS || transport == PeerTransport.AUTO && !isLocal) {
            SslContext ignored = tls().server();
        }
    }

    /** Whether a client uses TLS to this member. */
    boolean usesTls(Endpoint endpoint) {
        return switch (transport) {
            case TLS -> true;
            case MAC -> false;
            case AUTO -> certificates.isPresent() || !isLoopback(endpoint.host());
        };
    }

    /**
     * Whether answers without TLS carry a MAC of their bytes, in addition to the proof in their
     * headers.
     */
    boolean sealsContent() {
        return transport == PeerTransport.MAC;
    }

    /** Whether a server accepts a connection without TLS. */
    boolean acceptsPlain(boolean isFromLoopback) {
        return switch (transport) {
            case TLS -> false;
            case MAC -> true;
            case AUTO -> certificates.isEmpty() && isFromLoopback;
        };
    }

    private static boolean isLoopback(String host) {
        return LOOPBACK.matcher(host).matches();
    }

    @Override
    public String toString() {
        return "trust by " + (secret.isPresent() ? "a secret" : "certificates") + ", transport " + transport;
    }
}
