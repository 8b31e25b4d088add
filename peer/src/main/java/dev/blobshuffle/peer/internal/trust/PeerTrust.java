package dev.blobshuffle.peer.internal.trust;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.PeerSecret;
import dev.blobshuffle.core.internal.membership.PeerSecrets;
import dev.blobshuffle.core.internal.membership.PeerSettings;
import dev.blobshuffle.core.internal.membership.PeerTransport;
import io.netty.handler.ssl.SslContext;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How members authenticate each other, and how bytes between them are protected.
 *
 * <pre>
 *                          peer.transport = auto            tls    mac
 *   secret, loopback       plain, proof in each head        TLS    plain, MAC over all bytes
 *   secret, elsewhere      TLS, certificate by the secret   TLS    plain, MAC over all bytes
 *   certificate files      TLS, both sides of the authority TLS    refused at start
 * </pre>
 *
 * <p>Thread-safe.
 */
public final class PeerTrust {
    private static final Pattern LOOPBACK =
            Pattern.compile("localhost|127\\.[0-9.]+|(0*:){2,7}0*1", Pattern.CASE_INSENSITIVE);

    private final Optional<PeerSecrets> secrets;
    private final Optional<PeerTls> certificates;
    private final PeerTransport transport;

    /** The values derived from the current secrets. */
    private volatile @Nullable Derived derived;

    /**
     * Created for the first connection that needs it, and again when the secrets change. Guarded by
     * this.
     */
    private @Nullable OwnTls ownTls;

    private record Derived(List<PeerSecret> secrets, List<MemberKeys> keys) {}

    private record OwnTls(List<PeerSecret> secrets, PeerTls tls) {}

    /**
     * Trust by a secret, certificates or both.
     *
     * @param secrets the secrets that members prove to know; required without certificates
     * @param certificates certificates from files; empty: members create their own from the secret
     * @param transport how bytes are protected
     * @throws InvalidSettingsException fatal: neither is given, or the options are incompatible
     */
    public PeerTrust(Optional<PeerSecrets> secrets, Optional<PeerTls> certificates, PeerTransport transport) {
        if (secrets.isEmpty() && certificates.isEmpty()) {
            throw new InvalidSettingsException(
                    "Cannot connect instances: neither " + PeerSettings.SECRET_FILE + " nor "
                            + PeerSettings.TLS_CERTIFICATE_FILE
                            + " is given, so any client could read blobs. Give all instances the same secret, or certificates.");
        }
        if (transport == PeerTransport.MAC && certificates.isPresent()) {
            throw new InvalidSettingsException("Cannot use " + PeerSettings.TRANSPORT + "=mac with "
                    + PeerSettings.TLS_CERTIFICATE_FILE + ": certificates are for TLS. Remove one of them.");
        }
        this.secrets = secrets;
        this.certificates = certificates;
        this.transport = transport;
    }

    /** The secrets in use; none if only certificates are used. */
    private List<PeerSecret> secrets() {
        return secrets.map(PeerSecrets::all).orElseGet(List::of);
    }

    /**
     * The keys of all accepted secrets, the signing one first; none if only certificates are used.
     */
    @SuppressWarnings("ReferenceEquality") // the list is replaced, never changed
    public List<MemberKeys> keys() {
        List<PeerSecret> now = secrets();
        Derived known = derived;
        if (known == null || known.secrets() != now) {
            known = new Derived(now, now.stream().map(MemberKeys::of).toList());
            derived = known;
        }
        return known.keys();
    }

    /**
     * An object that is replaced when the secrets change. A connection that was opened under a
     * previous object is not used for further requests, because a withdrawn secret may have
     * authenticated it.
     */
    public Object generation() {
        return secrets();
    }

    /** Reads the file of secrets again if it is due, and prepares the values that depend on it. */
    public void refresh() {
        List<MemberKeys> ignoredKeys = keys();
        synchronized (this) {
            if (ownTls != null) {
                PeerTls ignored = tls();
            }
        }
    }

    /** Both ends of TLS. */
    @SuppressWarnings("ReferenceEquality") // the list is replaced, never changed
    public synchronized PeerTls tls() {
        if (certificates.isPresent()) {
            return certificates.get();
        }
        List<PeerSecret> now = secrets();
        OwnTls known = ownTls;
        if (known == null || known.secrets() != now) {
            known = new OwnTls(now, PeerTls.of(now));
            ownTls = known;
        }
        return known.tls();
    }

    /**
     * Creates keys now if connections will probably need them, because creating them takes longer
     * than the allowed silence.
     */
    public void prepare(Optional<Endpoint> listen) {
        boolean isLocal = listen.filter(where -> isLoopback(where.host())).isPresent();
        if (transport == PeerTransport.TLS || transport == PeerTransport.AUTO && !isLocal) {
            SslContext ignored = tls().server();
        }
    }

    /** Whether a client uses TLS to this member. */
    public boolean usesTls(Endpoint endpoint) {
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
    public boolean sealsContent() {
        return transport == PeerTransport.MAC;
    }

    /** Whether a server accepts a connection without TLS. */
    public boolean acceptsPlain(boolean isFromLoopback) {
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
        return "trust by " + (secrets.isPresent() ? "a secret" : "certificates") + ", transport " + transport;
    }
}
