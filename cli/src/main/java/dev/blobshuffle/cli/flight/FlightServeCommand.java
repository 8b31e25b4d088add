package dev.blobshuffle.cli.flight;

import dev.blobshuffle.cli.option.ExitStatus;
import dev.blobshuffle.cli.option.Quantity;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flightdaemon.internal.server.FlightConfig;
import dev.blobshuffle.flightdaemon.internal.server.FlightConfig.Budgets;
import dev.blobshuffle.flightdaemon.internal.server.FlightConfig.Security;
import dev.blobshuffle.flightdaemon.internal.server.FlightDaemon;
import dev.blobshuffle.flightdaemon.internal.server.call.ConnectionLimits;
import dev.blobshuffle.flightdaemon.internal.server.call.Sharing;
import dev.blobshuffle.flightdaemon.internal.server.http.HttpConfig;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code blobshuffle flight serve}: runs the daemon until it is stopped. */
@Command(
        name = "serve",
        exitCodeList = {"0:ended by a signal", "1:it could not start"},
        mixinStandardHelpOptions = true,
        description = {
            "Serves the Arrow blobs below directories to Arrow Flight clients.",
            "It needs a certificate and tokens, or --insecure-loopback for this machine alone."
        })
public final class FlightServeCommand implements Callable<Integer> {
    private static final String DEFAULT_NAMESPACE = "default";

    /** A strong reference: the JDK drops the settings of loggers that are not referenced. */
    private static final Logger STREAMS = Logger.getLogger("io.grpc.netty.shaded.io.grpc.netty.NettyServerHandler");

    /** The message of gRPC's stack trace when a client disconnects while a frame is sent to it. */
    private static final String VANISHED = "Stream closed before write could take place";

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--directory",
            required = true,
            paramLabel = "[NAMESPACE=]DIRECTORY",
            description = "A store of the Python package; repeat it for several. Without a namespace: default.")
    private List<String> directories;

    @Option(
            names = "--copy-to",
            paramLabel = "[NAMESPACE=]URI",
            description = "A store, s3:// or file://, to which committed shuffles are copied, one per namespace."
                    + " Daemons serve the copies if this host is lost (default: none).")
    private @Nullable List<String> copies;

    @Option(
            names = "--listen",
            defaultValue = "127.0.0.1:8815",
            paramLabel = "HOST:PORT",
            description = "Address to listen on; port 0 selects a free port (default: ${DEFAULT-VALUE}).")
    private String listen;

    @Option(
            names = "--advertised",
            paramLabel = "HOST:PORT",
            description = "Address under which clients reach it, if it differs.")
    private @Nullable String advertised;

    @Option(
            names = "--insecure-loopback",
            description = "No TLS and no tokens: every process of this machine may read and release all blobs.")
    private boolean isInsecure;

    @Option(
            names = "--tls-certificate",
            paramLabel = "FILE",
            description = "PEM: certificate and intermediate certificates.")
    private @Nullable Path certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "PEM: private key, PKCS#8, not encrypted.")
    private @Nullable Path key;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "Lines NAMESPACE TOKEN; the namespace * stands for all.")
    private @Nullable Path tokens;

    @Option(
            names = "--ticket-key-file",
            paramLabel = "FILE",
            description = "A file with 32 bytes or more that sign tickets (default: random, so a restart invalidates"
                    + " all tickets).")
    private @Nullable Path ticketKey;

    @Option(
            names = "--ticket-lifetime",
            defaultValue = "1h",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = "How long a ticket is valid (default: ${DEFAULT-VALUE}).")
    private Duration lifetime;

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = "Release shuffles that are unused for this time (default: never).")
    private @Nullable Duration lease;

    @Option(
            names = "--http",
            paramLabel = "HOST:PORT",
            description = "Address on which to serve blobs by HTTP with ranges (default: none).")
    private @Nullable String http;

    @Option(
            names = "--http-plain-text",
            description = "Serve HTTP without TLS: others on the network can read tokens and blobs. The kernel sends"
                    + " the files.")
    private boolean isHttpPlain;

    @Option(
            names = "--metrics-listen",
            paramLabel = "HOST:PORT",
            description = "Address on which to serve metrics to Prometheus, at /metrics.")
    private @Nullable String metricsListen;

    @Option(
            names = "--memory",
            defaultValue = "256MiB",
            paramLabel = "SIZE",
            converter = Quantity.Bytes.class,
            description = "Maximum bytes of frames in flight, over all clients (default: ${DEFAULT-VALUE}).")
    private Double memory;

    @Option(
            names = "--footer-memory",
            defaultValue = "64MiB",
            paramLabel = "SIZE",
            converter = Quantity.Bytes.class,
            description = "Maximum bytes of footers in memory (default: ${DEFAULT-VALUE}).")
    private Double footerMemory;

    @Option(
            names = "--put-memory",
            defaultValue = "256MiB",
            paramLabel = "SIZE",
            converter = Quantity.Bytes.class,
            description = "Maximum memory for maps that clients send (default: ${DEFAULT-VALUE}).")
    private Double putMemory;

    @Option(
            names = "--blob-memory",
            defaultValue = "0",
            paramLabel = "SIZE",
            converter = Quantity.Bytes.class,
            description = "Maximum bytes of clients' blobs that stay in memory; a restart loses them (default: none).")
    private Double blobMemory;

    @Option(
            names = "--quota",
            paramLabel = "SIZE",
            converter = Quantity.Bytes.class,
            description = "Maximum bytes of blobs in each directory, for blobs that clients send (default: no limit).")
    private @Nullable Double quota;

    @Option(
            names = "--connections",
            defaultValue = "2048",
            paramLabel = "NUMBER",
            description = "Maximum Flight connections, and as many HTTP connections (default: ${DEFAULT-VALUE}).")
    private int connections;

    @Option(
            names = "--connections-per-address",
            defaultValue = "512",
            paramLabel = "NUMBER",
            description = "Maximum connections from one address; behind a proxy, as many as --connections"
                    + " (default: ${DEFAULT-VALUE}).")
    private int connectionsOfAddress;

    @Option(
            names = "--first-call-time",
            defaultValue = "10s",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = "Time within which a connection must make a call with a valid token, or an HTTP request"
                    + " (default: ${DEFAULT-VALUE}).")
    private Duration firstCallTime;

    @Option(
            names = "--idle-time",
            defaultValue = "5m",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = "Close Flight connections that make no call for this time (default: ${DEFAULT-VALUE}).")
    private Duration idleTime;

    @Option(
            names = "--puts-per-tenant",
            paramLabel = "NUMBER",
            description = "Maximum concurrent puts of one tenant, the namespaces of a token (default: all but one if"
                    + " there are several tenants).")
    private @Nullable Integer putsOfTenant;

    @Option(
            names = "--calls-per-tenant",
            defaultValue = "10000",
            paramLabel = "NUMBER",
            description = "Maximum concurrent Flight calls of one tenant, including puts (default: ${DEFAULT-VALUE}).")
    private int callsOfTenant;

    @Option(
            names = "--least-rate",
            defaultValue = "64KiB",
            paramLabel = "SIZE",
            converter = Quantity.Bytes.class,
            description = "Bytes per second that a client must send or read while others wait for its memory or its"
                    + " put (default: ${DEFAULT-VALUE}).")
    private Double leastRate;

    @Option(
            names = "--least-rate-time",
            defaultValue = "30s",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = "Time over which that rate is measured (default: ${DEFAULT-VALUE}).")
    private Duration leastRateTime;

    @Option(
            names = "--longest-wait",
            defaultValue = "2m",
            paramLabel = "TIME",
            converter = Quantity.Time.class,
            description = "How long a tenant without a put waits before the tenant with the most puts loses one"
                    + " (default: ${DEFAULT-VALUE}).")
    private Duration longestWait;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public FlightServeCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        STREAMS.setFilter(record -> record.getThrown() == null
                || !VANISHED.equals(record.getThrown().getMessage()));
        try (SystemTime time = new SystemTime();
                FlightDaemon daemon = FlightDaemon.start(config(), time)) {
            Runtime.getRuntime().addShutdownHook(new Thread(daemon::close, "close"));
            daemon.httpLocation().ifPresent(location -> out.println("Serves blobs at " + location));
            daemon.metricsAddress()
                    .ifPresent(address -> out.println("Shows metrics at http://" + address + "/metrics"));
            out.println("Serves at " + daemon.location());
            out.flush();
            new CountDownLatch(1).await();
            return 0;
        } catch (BlobShuffleException e) {
            spec.commandLine().getErr().println(e.getMessage());
            return ExitStatus.of(e);
        }
    }

    private FlightConfig config() {
        Endpoint endpoint = Endpoint.parse(listen);
        Budgets budgets = new Budgets(
                Math.round(memory),
                Math.round(footerMemory),
                Math.round(putMemory),
                Math.round(blobMemory),
                quota == null ? OptionalLong.empty() : OptionalLong.of(Math.round(quota)));
        checkFits(budgets);
        return new FlightConfig(
                endpoint.host(),
                endpoint.port(),
                Optional.ofNullable(advertised),
                namespaces(),
                security(),
                budgets,
                lifetime,
                Optional.ofNullable(ticketKey),
                Optional.ofNullable(lease),
                http(),
                Optional.ofNullable(metricsListen).map(Endpoint::parse),
                copies(),
                new ConnectionLimits(connections, connectionsOfAddress, firstCallTime, idleTime),
                new Sharing(
                        putsOfTenant == null ? OptionalInt.empty() : OptionalInt.of(putsOfTenant),
                        callsOfTenant,
                        Math.round(leastRate),
                        leastRateTime,
                        longestWait));
    }

    private static void checkFits(Budgets budgets) {
        long most = Runtime.getRuntime().maxMemory();
        // Frames are outside the heap. The JVM limits that memory to the size of the heap.
        long heap = budgets.memory() - budgets.frames();
        if (budgets.frames() > most / 2 || heap > most - most / 4) {
            throw new InvalidSettingsException("Cannot use --memory " + budgets.frames() + " and " + heap
                    + " for --footer-memory, --put-memory and --blob-memory: the JVM has " + most
                    + " bytes. The first may take a half, the others three quarters. Give the JVM more (-Xmx), or"
                    + " lower these.");
        }
    }

    private Optional<HttpConfig> http() {
        if (http == null) {
            if (isHttpPlain) {
                throw new InvalidSettingsException("Cannot serve: --http-plain-text needs --http. Give both, or none.");
            }
            return Optional.empty();
        }
        Endpoint endpoint = Endpoint.parse(http);
        return Optional.of(new HttpConfig(
                endpoint.host(),
                endpoint.port(),
                isHttpPlain ? HttpConfig.Transport.PLAIN_TEXT : HttpConfig.Transport.AS_FLIGHT,
                new HttpConfig.Limits(
                        connections,
                        connectionsOfAddress,
                        firstCallTime,
                        HttpConfig.Limits.DEFAULT.idle(),
                        HttpConfig.Limits.DEFAULT.stall())));
    }

    private Map<String, List<Path>> namespaces() {
        Map<String, List<Path>> namespaces = new TreeMap<>();
        for (String directory : directories) {
            int sign = directory.indexOf('=');
            String namespace = sign < 0 ? DEFAULT_NAMESPACE : directory.substring(0, sign);
            namespaces
                    .computeIfAbsent(namespace, name -> new ArrayList<>())
                    .add(Path.of(directory.substring(sign + 1)));
        }
        return namespaces;
    }

    private Map<String, String> copies() {
        Map<String, String> stores = new TreeMap<>();
        for (String copy : copies == null ? List.<String>of() : copies) {
            int sign = copy.substring(0, Math.max(0, copy.indexOf("://"))).indexOf('=');
            String namespace = sign < 0 ? DEFAULT_NAMESPACE : copy.substring(0, sign);
            if (stores.put(namespace, copy.substring(sign + 1)) != null) {
                throw new InvalidSettingsException(
                        "Cannot serve: --copy-to is given twice for namespace " + namespace + ". Give it once.");
            }
        }
        return stores;
    }

    private Security security() {
        boolean isAnyGiven = certificate != null || key != null || tokens != null;
        if (isInsecure && isAnyGiven) {
            throw new InvalidSettingsException("Cannot serve: --insecure-loopback excludes certificate, key and tokens."
                    + " Leave one of both out.");
        }
        if (isInsecure) {
            return new Security.InsecureLoopback();
        }
        if (certificate == null || key == null || tokens == null) {
            throw new InvalidSettingsException(
                    "Cannot serve without TLS and tokens: give --tls-certificate, --tls-key and"
                            + " --token-file, or --insecure-loopback for processes of this machine alone.");
        }
        return new Security.Tls(certificate, key, tokens);
    }
}
