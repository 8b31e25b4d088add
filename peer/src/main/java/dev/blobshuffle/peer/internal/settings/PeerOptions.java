package dev.blobshuffle.peer.internal.settings;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.PeerSecrets;
import dev.blobshuffle.core.internal.membership.PeerSettings;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.peer.internal.trust.PeerTls;
import dev.blobshuffle.peer.internal.trust.PeerTrust;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The options for connections between members.
 *
 * @param zone this member's zone; the member does not serve other zones
 * @param listen the address to listen on; empty: this member does not answer others
 * @param advertised the address at which others reach this member, if it differs
 * @param trust how members authenticate each other
 * @param patience time limits of requests to other members
 * @param limits the limits of the server
 */
public record PeerOptions(
        Zone zone,
        Optional<Endpoint> listen,
        Optional<Endpoint> advertised,
        PeerTrust trust,
        Patience patience,
        Limits limits) {
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
         * Allows a few connections for each of a hundred members, or of thirty members behind one
         * address.
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
            throw new InvalidSettingsException("Cannot advertise this instance: " + PeerSettings.LISTEN
                    + " names all addresses. Set " + PeerSettings.ADVERTISED + " to one that others reach.");
        }
    }

    /** Default options with another limit of silence. */
    public PeerOptions(
            Zone zone,
            Optional<Endpoint> listen,
            Optional<Endpoint> advertised,
            PeerTrust trust,
            Duration silence,
            Limits limits) {
        this(zone, listen, advertised, trust, Patience.USUAL.withSilence(silence), limits);
    }

    /** The limit of a member's silence. */
    public Duration silence() {
        return patience.silence();
    }

    /**
     * Creates options from settings. Reads the files that the settings name.
     *
     * @throws InvalidSettingsException fatal: a file is unreadable, or settings are missing
     */
    public static PeerOptions of(Settings settings, Time time) {
        return of(settings, time, change -> {});
    }

    /**
     * Like {@link #of(Settings, Time)}, and observes the file of secrets.
     *
     * @param onCheck receives changes and failures of the file of secrets
     */
    public static PeerOptions of(Settings settings, Time time, Consumer<PeerSecrets.Outcome> onCheck) {
        return new PeerOptions(
                settings.zone(),
                settings.value(PeerSettings.LISTEN).map(Endpoint::parse),
                settings.value(PeerSettings.ADVERTISED).map(Endpoint::parse),
                new PeerTrust(
                        path(settings, PeerSettings.SECRET_FILE).map(file -> PeerSecrets.read(file, time, onCheck)),
                        tls(settings),
                        settings.value(PeerSettings.TRANSPORT)),
                Patience.USUAL,
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
            throw new InvalidSettingsException(
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
