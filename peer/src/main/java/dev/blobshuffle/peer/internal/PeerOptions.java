package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.PeerSecret;
import dev.blobshuffle.core.internal.membership.PeerSettings;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.zone.Zone;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The options for connections between members.
 *
 * @param zone this member's zone; it serves no members of other zones
 * @param listen the address to listen at; empty: this member does not answer others
 * @param advertised the address at which others reach this member, if it differs
 * @param trust how members authenticate each other
 * @param silence how long a member may be silent before its request is given up
 * @param limits the limits of a server
 */
public record PeerOptions(
        Zone zone,
        Optional<Endpoint> listen,
        Optional<Endpoint> advertised,
        PeerTrust trust,
        Duration silence,
        Limits limits) {
    /** Far more than a live member needs, since pauses of its garbage collector are shorter. */
    private static final Duration USUAL_SILENCE = Duration.ofMillis(500);

    /**
     * The limits of a server.
     *
     * @param connections most concurrent connections
     * @param ofAddress most concurrent connections from one address
     * @param loads most concurrent requests that read from the store
     * @param request the longest time in which a whole request must arrive
     */
    public record Limits(int connections, int ofAddress, int loads, Duration request) {
        /**
         * Allows a few connections for each of a hundred members, or of thirty behind one address.
         */
        public static final Limits USUAL = new Limits(1024, 256, 128, Duration.ofSeconds(5));

        /** Checks the numbers. */
        public Limits {
            if (connections < 1 || ofAddress < 1 || loads < 1 || request.isZero() || request.isNegative()) {
                throw new IllegalArgumentException("Cannot serve " + connections + " connections, " + ofAddress
                        + " of an address, and " + loads + " loads, each request within " + request
                        + ". Give more of each.");
            }
        }
    }

    /** Checks that others can reach this member. */
    public PeerOptions {
        boolean isReachable = advertised.or(() -> listen).map(Endpoint::host).stream()
                .noneMatch(host -> host.equals("0.0.0.0") || host.equals("::"));
        if (!isReachable) {
            throw new InvalidSettings("Cannot advertise this instance: " + PeerSettings.LISTEN
                    + " names all addresses. Set " + PeerSettings.ADVERTISED + " to one that others reach.");
        }
    }

    /**
     * The options that the settings define. Reads the files that they name.
     *
     * @throws InvalidSettings fatal: a file cannot be read, or settings are missing
     */
    public static PeerOptions of(Settings settings) {
        return new PeerOptions(
                settings.zone(),
                settings.value(PeerSettings.LISTEN).map(Endpoint::parse),
                settings.value(PeerSettings.ADVERTISED).map(Endpoint::parse),
                new PeerTrust(
                        path(settings, PeerSettings.SECRET_FILE).map(PeerSecret::read),
                        tls(settings),
                        settings.value(PeerSettings.TRANSPORT)),
                USUAL_SILENCE,
                Limits.USUAL);
    }

    private static Optional<PeerTls> tls(Settings settings) {
        Optional<Path> certificate = path(settings, PeerSettings.TLS_CERTIFICATE_FILE);
        Optional<Path> key = path(settings, PeerSettings.TLS_KEY_FILE);
        Optional<Path> trust = path(settings, PeerSettings.TLS_TRUST_FILE);
        if (certificate.isEmpty() && key.isEmpty() && trust.isEmpty()) {
            return Optional.empty();
        }
        if (certificate.isEmpty() || key.isEmpty() || trust.isEmpty()) {
            throw new InvalidSettings(
                    "Cannot connect instances with TLS: of " + PeerSettings.TLS_CERTIFICATE_FILE + ", "
                            + PeerSettings.TLS_KEY_FILE + " and " + PeerSettings.TLS_TRUST_FILE
                            + " some are missing. Give all three, or none.");
        }
        return Optional.of(PeerTls.read(certificate.get(), key.get(), trust.get()));
    }

    private static Optional<Path> path(Settings settings, Setting<Optional<String>> setting) {
        return settings.value(setting).map(Path::of);
    }
}
