package dev.blobshuffle.core.internal.membership;

import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import java.util.List;
import java.util.Optional;

/**
 * The settings by which the instances of a zone reach and authenticate each other. They are defined
 * with the members, because a signed membership needs the secret even without the optional artifact
 * of the network.
 */
public final class PeerSettings implements SettingGroup {
    /** Address to listen on. */
    public static final Setting<Optional<String>> LISTEN = Setting.text(
            "peer.listen",
            "none",
            "Address, `host:port`, on which an instance serves other instances of its zone. Port 0 "
                    + "selects a free port.");

    /** Address under which other instances reach this one. */
    public static final Setting<Optional<String>> ADVERTISED = Setting.text(
            "peer.advertised",
            "as `peer.listen`",
            "Address, `host:port`, under which other instances of the zone reach this instance.");

    /** Shared secret. */
    public static final Setting<Optional<String>> SECRET_FILE = Setting.text(
            "peer.secret.file",
            "none",
            "File with a secret of at least 16 bytes that authenticates instances to each other. It "
                    + "must be the same in every instance and readable only by its user. Up to 4 lines: the "
                    + "first secret signs, and all are accepted. An instance reads a changed file again. "
                    + "Required unless `peer.tls.*` is set.");

    /** Protection of traffic between members. */
    public static final Setting<PeerTransport> TRANSPORT = Setting.choice(
            "peer.transport",
            PeerTransport.AUTO,
            "Protection of traffic between instances: TLS except on loopback addresses (`auto`), always "
                    + "TLS (`tls`), or unencrypted with an HMAC of every response (`mac`). It must be the same in "
                    + "every instance.");

    /** Certificate. */
    public static final Setting<Optional<String>> TLS_CERTIFICATE_FILE = Setting.text(
            "peer.tls.certificate.file",
            "none: the secret authenticates instances",
            "PEM file with this instance's certificate and the intermediate certificates.");

    /** Private key. */
    public static final Setting<Optional<String>> TLS_KEY_FILE = Setting.text(
            "peer.tls.key.file",
            "none: the secret authenticates instances",
            "PEM file with the private key (PKCS#8, not encrypted) of the certificate. It must be "
                    + "readable only by its user.");

    /** Authority. */
    public static final Setting<Optional<String>> TLS_TRUST_FILE = Setting.text(
            "peer.tls.trust.file",
            "none: the secret authenticates instances",
            "PEM file with the certificate of the authority that signs the instances' certificates. The "
                    + "authority must sign no others, because every holder of a certificate may read.");

    @Override
    public String title() {
        return "Peers";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(LISTEN, ADVERTISED, SECRET_FILE, TRANSPORT, TLS_CERTIFICATE_FILE, TLS_KEY_FILE, TLS_TRUST_FILE);
    }
}
