package dev.blobshuffle.cli.cache;

import dev.blobshuffle.cli.option.ConfigOptions;
import dev.blobshuffle.cli.option.ExitStatus;
import dev.blobshuffle.cli.option.Quantity;
import dev.blobshuffle.cli.option.StoreOption;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.cache.CacheSettings;
import dev.blobshuffle.core.internal.combine.CombineSettings;
import dev.blobshuffle.core.internal.membership.PeerSettings;
import dev.blobshuffle.core.internal.metrics.MetricsSettings;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.settings.ZoneSettings;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle cache}: runs a cache for all instances of a zone in a separate process, until
 * it is stopped.
 */
@Command(
        name = "cache",
        exitCodeList = {"0:ended by a signal", "1:it could not start"},
        mixinStandardHelpOptions = true,
        description = {
            "Runs a cache for the instances of one zone, which name it in blobshuffle.cache.zone.members.",
            "GET /health answers without authentication. --metrics-listen serves metrics to Prometheus."
        })
public final class CacheCommand implements Callable<Integer> {
    /** The settings on which an application and the caches of its zone must agree. */
    private static final List<Setting<?>> FROM_CONFIG = List.of(
            PeerSettings.SECRET_FILE,
            PeerSettings.TRANSPORT,
            PeerSettings.TLS_CERTIFICATE_FILE,
            PeerSettings.TLS_KEY_FILE,
            PeerSettings.TLS_TRUST_FILE);

    /** The settings on which an application and its hubs must agree. */
    private static final List<Setting<?>> OF_HUB = List.of(WriteSettings.BATCH_MAX_BYTES, CombineSettings.MAX_PART);

    @Spec
    private CommandSpec spec;

    @Option(names = "--zone", required = true, paramLabel = "ZONE", description = "The zone in which it runs.")
    private String zone;

    @Option(
            names = "--listen",
            required = true,
            paramLabel = "HOST:PORT",
            description = "Address to listen on; port 0 selects a free port.")
    private String listen;

    @Mixin
    private ConfigOptions config;

    @Mixin
    private StoreOption storeOption;

    @Option(
            names = "--capacity",
            required = true,
            paramLabel = "SIZE",
            converter = Quantity.Bytes.class,
            description = "Maximum bytes in memory, for example 4GiB. The JVM needs more than that.")
    private Double capacity;

    @Option(
            names = "--advertised",
            paramLabel = "HOST:PORT",
            description = "Address under which others reach it, if it differs.")
    private @Nullable String advertised;

    @Option(
            names = "--disk-dir",
            split = ",",
            paramLabel = "DIRECTORY",
            description = "Also caches on disk, in these directories, one per disk.")
    private @Nullable List<Path> diskDirectories;

    @Option(
            names = "--disk-capacity",
            paramLabel = "SIZE",
            converter = Quantity.Bytes.class,
            description = "Maximum bytes on disk (default: 10GiB).")
    private @Nullable Double diskCapacity;

    @Option(
            names = "--combine",
            description = "Also combines the small blobs of the zone's instances (blobshuffle.combine.enabled).")
    private boolean isCombining;

    @Option(
            names = "--combine-buffer",
            paramLabel = "SIZE",
            converter = Quantity.Bytes.class,
            description = "Maximum bytes of blobs to combine, beside the capacity (default: 64MiB).")
    private @Nullable Double combineBuffer;

    @Option(
            names = "--metrics-listen",
            paramLabel = "HOST:PORT",
            description = "Address on which to serve metrics to Prometheus, at /metrics.")
    private @Nullable String metricsListen;

    @Option(names = "--secret-file", paramLabel = "FILE", description = "The secret that instances share.")
    private @Nullable Path secretFile;

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            description = "As blobshuffle.peer.transport: auto (default), tls or mac.")
    private @Nullable String transport;

    @Option(
            names = "--tls-certificate",
            paramLabel = "FILE",
            description = "PEM: certificate and intermediate certificates.")
    private @Nullable Path tlsCertificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "PEM: private key, PKCS#8, not encrypted.")
    private @Nullable Path tlsKey;

    @Option(names = "--tls-trust", paramLabel = "FILE", description = "PEM: authority of the instances' certificates.")
    private @Nullable Path tlsTrust;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public CacheCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        try (RunningCache cache = RunningCache.open(settings())) {
            Runtime.getRuntime().addShutdownHook(new Thread(cache::close, "close"));
            out.println("Answers in zone " + zone + " at " + cache.endpoint());
            cache.metricsEndpoint()
                    .ifPresent(endpoint -> out.println("Shows metrics at http://" + endpoint + "/metrics"));
            out.flush();
            new CountDownLatch(1).await();
            return 0;
        } catch (BlobShuffleException e) {
            spec.commandLine().getErr().println(e.getMessage());
            return ExitStatus.of(e);
        }
    }

    private Settings settings() {
        Map<String, Object> settings = new HashMap<>();
        FROM_CONFIG.forEach(setting -> putFromConfig(settings, setting));
        if (isCombining) {
            OF_HUB.forEach(setting -> putFromConfig(settings, setting));
            settings.put(CombineSettings.SERVE.name(), "true");
            putIfGiven(
                    settings, CombineSettings.BUFFER_BYTES.name(), combineBuffer == null ? null : bytes(combineBuffer));
        }
        settings.put(StoreSettings.STORE.name(), store());
        settings.put(ZoneSettings.ZONE.name(), zone);
        settings.put(CacheSettings.MEMORY_BYTES.name(), bytes(capacity));
        settings.put(CacheSettings.ON_WRITE.name(), isCombining);
        settings.put(PeerSettings.LISTEN.name(), listen);
        putIfGiven(settings, PeerSettings.ADVERTISED.name(), advertised);
        putIfGiven(settings, MetricsSettings.LISTEN.name(), metricsListen);
        putIfGiven(settings, CacheSettings.DISK_BYTES.name(), diskCapacity == null ? null : bytes(diskCapacity));
        putIfGiven(settings, PeerSettings.SECRET_FILE.name(), secretFile);
        putIfGiven(settings, PeerSettings.TRANSPORT.name(), transport);
        putIfGiven(settings, PeerSettings.TLS_CERTIFICATE_FILE.name(), tlsCertificate);
        putIfGiven(settings, PeerSettings.TLS_KEY_FILE.name(), tlsKey);
        putIfGiven(settings, PeerSettings.TLS_TRUST_FILE.name(), tlsTrust);
        if (diskDirectories != null) {
            settings.put(
                    CacheSettings.DISK_DIRS.name(),
                    diskDirectories.stream().map(Path::toString).collect(Collectors.toList()));
        }
        return KafkaSettings.parse(settings);
    }

    private void putFromConfig(Map<String, Object> settings, Setting<?> setting) {
        config.value(setting.name()).ifPresent(value -> settings.put(setting.name(), value));
    }

    /** The URI of the store. A missing store is wrong usage. */
    private String store() {
        try {
            return storeOption.uri(config);
        } catch (InvalidSettingsException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private static String bytes(double size) {
        return Long.toString(Math.round(size));
    }

    private static void putIfGiven(Map<String, Object> settings, String name, @Nullable Object value) {
        if (value != null) {
            settings.put(name, value.toString());
        }
    }
}
