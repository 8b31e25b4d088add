package dev.blobshuffle.peer;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.membership.Endpoint;
import dev.blobshuffle.core.membership.PeerSecret;
import dev.blobshuffle.core.settings.Setting;
import dev.blobshuffle.core.settings.Settings;
import dev.blobshuffle.core.zone.Zone;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How a member talks with others.
 *
 * @param zone where this member is: members of other zones get nothing from it
 * @param listen where to answer; empty for not at all
 * @param advertised where others reach this member, if that is somewhere else
 * @param trust how members know each other
 * @param silence how long a member may give no sign of life before it is given up
 * @param limits what a server accepts
 */
public record PeerOptions(
        Zone zone,
        Optional<Endpoint> listen,
        Optional<Endpoint> advertised,
        PeerTrust trust,
        Duration silence,
        Limits limits) {
    /** Far more than a member that lives ever needs: a pause of its garbage collector is shorter. */
    private static final Duration USUAL_SILENCE = Duration.ofMillis(500);

    /**
     * What a server accepts.
     *
     * @param connections most connections at a time
     * @param ofAddress most connections at a time from one address
     * @param loads most requests at a time for which the store is asked
     * @param request the longest that a whole request may take to come
     */
    public record Limits(int connections, int ofAddress, int loads, Duration request) {
        /** A few connections for each of a hundred members, and for thirty behind one address. */
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
            throw new InvalidSettings("Cannot tell others where this instance answers: " + Settings.PEER_LISTEN
                    + " names all addresses. Give " + Settings.PEER_ADVERTISED + " one that others reach.");
        }
    }

    /**
     * As settings say. Reads the files that they name.
     *
     * @throws InvalidSettings fatal: a file cannot be read, or settings are missing
     */
    public static PeerOptions of(Settings settings) {
        return new PeerOptions(
                settings.zone(),
                settings.value(Settings.PEER_LISTEN).map(Endpoint::parse),
                settings.value(Settings.PEER_ADVERTISED).map(Endpoint::parse),
                new PeerTrust(
                        path(settings, Settings.PEER_SECRET_FILE).map(PeerSecret::read),
                        tls(settings),
                        settings.value(Settings.PEER_TRANSPORT)),
                USUAL_SILENCE,
                Limits.USUAL);
    }

    private static Optional<PeerTls> tls(Settings settings) {
        Optional<Path> certificate = path(settings, Settings.PEER_TLS_CERTIFICATE_FILE);
        Optional<Path> key = path(settings, Settings.PEER_TLS_KEY_FILE);
        Optional<Path> trust = path(settings, Settings.PEER_TLS_TRUST_FILE);
        if (certificate.isEmpty() && key.isEmpty() && trust.isEmpty()) {
            return Optional.empty();
        }
        if (certificate.isEmpty() || key.isEmpty() || trust.isEmpty()) {
            throw new InvalidSettings(
                    "Cannot connect instances with TLS: of " + Settings.PEER_TLS_CERTIFICATE_FILE + ", "
                            + Settings.PEER_TLS_KEY_FILE + " and " + Settings.PEER_TLS_TRUST_FILE
                            + " some are missing. Give all three, or none.");
        }
        return Optional.of(PeerTls.read(certificate.get(), key.get(), trust.get()));
    }

    private static Optional<Path> path(Settings settings, Setting<Optional<String>> setting) {
        return settings.value(setting).map(Path::of);
    }
}
