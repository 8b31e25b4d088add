package dev.blobshuffle.flightdaemon.internal.server;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.store.StoreUri;
import dev.blobshuffle.flightdaemon.internal.server.call.ConnectionLimits;
import dev.blobshuffle.flightdaemon.internal.server.call.Sharing;
import dev.blobshuffle.flightdaemon.internal.server.http.HttpConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The configuration of a daemon.
 *
 * @param host to listen on
 * @param port to listen on; 0 for any free port
 * @param advertised address for clients; empty: the listening address
 * @param directories of each namespace
 * @param security who may connect
 * @param budgets most bytes of each kind
 * @param ticketLifetime how long a ticket is valid
 * @param ticketKeyFile secret that signs tickets; empty: a random secret, so a restart invalidates
 *     all tickets
 * @param lease how long an unused shuffle is kept; empty: until it is released
 * @param http the HTTP server of blobs; empty: none
 * @param metrics listening address of the Prometheus metrics; empty: none
 * @param copies the URI of the store of copies, for each namespace that has one
 * @param connections limits of the Flight connections
 * @param sharing how tenants share puts and memory
 */
public record FlightConfig(
        String host,
        int port,
        Optional<String> advertised,
        Map<String, List<Path>> directories,
        Security security,
        Budgets budgets,
        Duration ticketLifetime,
        Optional<Path> ticketKeyFile,
        Optional<Duration> lease,
        Optional<HttpConfig> http,
        Optional<Endpoint> metrics,
        Map<String, String> copies,
        ConnectionLimits connections,
        Sharing sharing) {
    /** The least memory for frames: room for some frames of the usual 4 MiB. */
    public static final long LEAST_MEMORY = 32L << 20;

    /** The least memory for puts: room for some messages. */
    public static final long LEAST_PUT_MEMORY = 64L << 20;

    /**
     * Most bytes of each kind.
     *
     * @param frames in flight to clients
     * @param footers in memory
     * @param puts in memory for maps that clients send
     * @param blobs that stay in memory; 0: all go to a directory
     * @param quota of blobs in each directory; empty: limited by the disk only
     */
    public record Budgets(long frames, long footers, long puts, long blobs, OptionalLong quota) {
        /** Checks the minimums. */
        public Budgets {
            if (frames < LEAST_MEMORY || puts < LEAST_PUT_MEMORY) {
                throw new InvalidSettingsException(
                        "Cannot serve with " + frames + " bytes of memory for frames and " + puts
                                + " for puts: at least " + LEAST_MEMORY + " and " + LEAST_PUT_MEMORY
                                + " are needed. Give more.");
            }
            if (blobs < 0 || quota.orElse(1) < 1) {
                throw new InvalidSettingsException(
                        "Cannot serve with " + blobs + " bytes of blobs in memory and a quota of " + quota.orElse(1)
                                + ": the first must not be negative, the second be positive.");
            }
        }

        /** The total memory, bytes. */
        public long memory() {
            return frames + footers + puts + blobs;
        }
    }

    /** Who may connect. */
    public sealed interface Security {
        /**
         * TLS, with a token in every call.
         *
         * @param certificate PEM file
         * @param key PEM file, PKCS#8
         * @param tokens file of tokens
         */
        record Tls(Path certificate, Path key, Path tokens) implements Security {}

        /** Any process on this machine, without TLS and tokens. */
        record InsecureLoopback() implements Security {}
    }

    /** A configuration with the default limits of connections and the default sharing. */
    public FlightConfig(
            String host,
            int port,
            Optional<String> advertised,
            Map<String, List<Path>> directories,
            Security security,
            Budgets budgets,
            Duration ticketLifetime,
            Optional<Path> ticketKeyFile,
            Optional<Duration> lease,
            Optional<HttpConfig> http,
            Optional<Endpoint> metrics,
            Map<String, String> copies) {
        this(
                host,
                port,
                advertised,
                directories,
                security,
                budgets,
                ticketLifetime,
                ticketKeyFile,
                lease,
                http,
                metrics,
                copies,
                ConnectionLimits.DEFAULT,
                Sharing.DEFAULT);
    }

    /** Checks everything that can be checked before the start. */
    public FlightConfig {
        if (directories.isEmpty()) {
            throw new InvalidSettingsException("Cannot serve: no directory is given. Name at least one.");
        }
        if (ticketLifetime.isNegative() || ticketLifetime.isZero()) {
            throw new InvalidSettingsException(
                    "Cannot serve: tickets would be valid for " + ticketLifetime + ". Give a positive time.");
        }
        if (lease.isPresent() && lease.get().compareTo(Duration.ofMinutes(1)) < 0) {
            throw new InvalidSettingsException("Cannot serve with a lease of " + lease.get()
                    + ": jobs would lose their blobs. Give a minute or more.");
        }
        checkCopies(copies, directories);
        for (String each : http.map(listener -> List.of(host, listener.host())).orElse(List.of(host))) {
            checkReach(security, each);
        }
    }

    private static void checkCopies(Map<String, String> copies, Map<String, List<Path>> directories) {
        Map<StoreUri, String> places = new HashMap<>();
        copies.forEach((namespace, uri) -> {
            if (!directories.containsKey(namespace)) {
                throw new InvalidSettingsException("Cannot copy namespace " + namespace
                        + ": it has no directory. Name one of " + directories.keySet() + ".");
            }
            StoreUri parsed = parsed(namespace, uri);
            String path = parsed.path().replaceAll("/+$", "");
            String other = places.put(new StoreUri(parsed.scheme(), parsed.authority(), path, Map.of()), namespace);
            if (other != null) {
                throw new InvalidSettingsException("Cannot copy namespaces " + other + " and " + namespace
                        + " to one place: their shuffles would mix. Give each a prefix of its own.");
            }
        });
    }

    private static StoreUri parsed(String namespace, String uri) {
        try {
            return StoreUri.parse(uri);
        } catch (InvalidSettingsException e) {
            throw new InvalidSettingsException("Cannot copy namespace " + namespace + ". " + e.getMessage(), e);
        }
    }

    private static void checkReach(Security security, String host) {
        if (security instanceof Security.InsecureLoopback && !isLoopback(host)) {
            throw new InvalidSettingsException(
                    "Cannot serve without TLS and tokens at " + host
                            + ": other machines could read all partitions. Listen at 127.0.0.1, or give a certificate and tokens.");
        }
    }

    private static boolean isLoopback(String host) {
        try {
            for (InetAddress address : InetAddress.getAllByName(host)) {
                if (!address.isLoopbackAddress()) {
                    return false;
                }
            }
            return true;
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
