package dev.blobshuffle.cli.status;

import dev.blobshuffle.cli.brokers.ApplicationOptions;
import dev.blobshuffle.cli.brokers.BrokerOptions;
import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.cli.option.ExitStatus;
import dev.blobshuffle.cli.option.Quantity;
import dev.blobshuffle.cli.option.StoreOption;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle status}: prints the lag of an application, the content and cost of its store,
 * and the partitions of its members. Changes nothing.
 */
@Command(
        name = "status",
        exitCodeList = {
            "0:shown",
            "1:the brokers or the store do not answer",
            "2:wrong options or settings, or the application is unknown"
        },
        mixinStandardHelpOptions = true,
        description = {
            "Shows how far an application is behind, what its store holds and costs, and its members and zones.",
            "The lag of each partition is in records and time. Changes nothing and joins no group.",
            "Blobs and cost are those of the whole store. Bytes and cost are estimates."
        })
public final class StatusCommand implements Callable<Integer> {
    private static final int USUAL_ZONES = 3;

    @Spec
    private CommandSpec spec;

    @Mixin
    private BrokerOptions brokers;

    @Mixin
    private ApplicationOptions application;

    @Option(
            names = "--membership",
            paramLabel = "TOPIC",
            description = "The membership topic (default: blobshuffle.membership.topic, else ID-blobshuffle-members).")
    private @Nullable String membership;

    @Mixin
    private StoreOption storeOption;

    @Option(
            names = "--prices",
            paramLabel = "NAME|FILE",
            description = "Prices of the store, as in blobshuffle.store.prices (default: by the store's URI).")
    private @Nullable String prices;

    @Option(
            names = "--most-blobs",
            paramLabel = "N",
            defaultValue = "100000",
            description = "Stop listing the store after this many blobs, newest first (default: ${DEFAULT-VALUE}).")
    private int mostBlobs;

    @Option(
            names = "--most-entries",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Read this many entries of each partition, the newest (default: ${DEFAULT-VALUE}).")
    private int mostEntries;

    @Option(names = "--json", description = "Print JSON; with --watch an object per line.")
    private boolean json;

    @Option(
            names = "--watch",
            description =
                    "Repeat until it is interrupted; a terminal shows one screen. The store is listed once a minute.")
    private boolean watches;

    @Option(
            names = "--every",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = Quantity.Time.class,
            description = "With --watch, the time between two reports (default: ${DEFAULT-VALUE}).")
    private Duration every;

    @Option(names = "--times", paramLabel = "N", description = "With --watch, stop after N reports.")
    private @Nullable Integer times;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public StatusCommand() {}

    @Override
    public Integer call() {
        return brokers.ask(spec.commandLine().getErr(), () -> "Cannot show the status of " + application.id(), time -> {
            check();
            application.complete(brokers.config());
            return run(brokers.client(), time);
        });
    }

    private void check() {
        if (mostBlobs < 1 || mostEntries < 1 || (times != null && times < 1)) {
            throw new InvalidSettingsException("--most-blobs is " + mostBlobs + ", --most-entries " + mostEntries
                    + (times == null ? "" : ", --times " + times) + ". Give 1 or more.");
        }
        if (every.isNegative() || every.isZero()) {
            throw new InvalidSettingsException("--every is " + every.toMillis() + "ms. Give a positive time.");
        }
    }

    private int run(Map<String, Object> client, SystemTime time) throws ExecutionException, InterruptedException {
        StopSignal waiting = new StopSignal(time);
        StatusReader.Application asked =
                new StatusReader.Application(application.id(), application.topics(), membershipTopic(), mostEntries);
        try (OpenStore store = OpenStore.of(uri(), StoreContext.unmetered(time).existing());
                Admin admin = Admin.create(client)) {
            Optional<StoreLook> look = store.store().map(open -> new StoreLook(open, priceTable(), mostBlobs, waiting));
            StatusReader reader = new StatusReader(admin, client, asked, look, time);
            Screen screen = watches ? Screen.find() : Screen.ENDLESS;
            int looks = times == null ? Integer.MAX_VALUE : times;
            for (int i = 1; ; i++) {
                Status status = reader.look();
                print(status, screen);
                if (!watches || i >= looks || spec.commandLine().getOut().checkError()) {
                    return status.isKnown() ? 0 : ExitStatus.WRONG_USAGE;
                }
                waiting.rest(every);
            }
        }
    }

    private void print(Status status, Screen screen) {
        PrintWriter out = spec.commandLine().getOut();
        int zones = zones(status);
        if (json) {
            Map<String, @Nullable Object> object = StatusJson.of(status, zones);
            out.print(watches ? Json.line(object) : Json.write(object));
        } else {
            String text = StatusText.of(status, zones, screen.rows() - 1);
            out.print(watches ? screen.show(text) : text);
        }
        out.flush();
    }

    /** The number of zones with members, or the usual number if the members are unknown. */
    private static int zones(Status status) {
        int known = (int) status.members().stream()
                .flatMap(List::stream)
                .filter(member -> !member.isSilent(status.atMillis()))
                .map(member -> member.zone().name())
                .distinct()
                .count();
        return known == 0 ? USUAL_ZONES : known;
    }

    private String membershipTopic() {
        return Optional.ofNullable(membership)
                .or(() -> brokers.config().value(KafkaSettings.MEMBERSHIP_TOPIC.name()))
                .orElse(application.id() + "-blobshuffle-members");
    }

    private Optional<String> uri() {
        return storeOption.named(brokers.config());
    }

    private Optional<PriceTable> priceTable() {
        Map<String, String> settings = new HashMap<>();
        uri().ifPresent(uri -> settings.put(StoreSettings.STORE.name(), uri));
        Optional.ofNullable(prices)
                .or(() -> brokers.config().value(StoreSettings.PRICES.name()))
                .ifPresent(given -> settings.put(StoreSettings.PRICES.name(), given));
        return PriceTables.of(KafkaSettings.parse(settings));
    }

    /**
     * An optional store.
     *
     * @param store empty if none is specified
     */
    private record OpenStore(Optional<BlobStore> store) implements AutoCloseable {
        static OpenStore of(Optional<String> uri, StoreContext context) {
            return new OpenStore(uri.map(named -> BlobStores.openUnchecked(named, context)));
        }

        @Override
        public void close() {
            store.ifPresent(BlobStore::close);
        }
    }
}
