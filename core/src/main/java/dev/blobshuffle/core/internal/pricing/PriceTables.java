package dev.blobshuffle.core.internal.pricing;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.internal.store.opening.TwoSpeedUri;
import dev.blobshuffle.core.store.StoreUri;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Reads the price tables that ship with the library, and files in the same format. Stateless. */
public final class PriceTables {
    private static final List<String> NAMES = List.of(
            "aws-us-east-1", "aws-s3-express-us-east-1", "gcp-us-east1", "azure-eastus", "r2-from-aws", "self-hosted");

    /** The name of these tables in messages. */
    private static final String WHAT = "prices";

    /** Suffix of the names of directory buckets, which S3 Express One Zone uses. */
    private static final String EXPRESS_BUCKET = "--x-s3";

    private PriceTables() {}

    /** Names of the shipped tables, the default first. */
    public static List<String> names() {
        return NAMES;
    }

    /**
     * A shipped table, by its name or a prefix of it ({@code aws}).
     *
     * @throws InvalidSettingsException fatal: there is no such table
     */
    public static PriceTable named(String name) {
        String found = NAMES.stream()
                .filter(candidate -> candidate.equals(name) || candidate.startsWith(name + "-"))
                .findFirst()
                .orElseThrow(() -> new InvalidSettingsException("Cannot find prices of '" + name + "': there are "
                        + String.join(", ", NAMES) + ". Give one of these, or a file of your own."));
        return table(PriceEntries.shipped(WHAT, found, PriceTables.class, "prices/" + found + ".properties"));
    }

    /**
     * The prices that the settings name, otherwise those of the store's provider; of the durable
     * store, if it has two speeds. Empty if requests are free or their price is unknown.
     *
     * @throws InvalidSettingsException fatal: there are no such prices
     */
    public static Optional<PriceTable> of(Settings settings) {
        Optional<String> given = settings.value(StoreSettings.PRICES);
        if (given.isPresent()) {
            boolean isFile = given.get().contains("/") || given.get().endsWith(".properties");
            return Optional.of(isFile ? read(Path.of(given.get())) : named(given.get()));
        }
        return settings.value(StoreSettings.STORE)
                .map(uri -> TwoSpeedUri.isMeant(uri) ? TwoSpeedUri.parse(uri).durable() : uri)
                .flatMap(uri -> of(StoreUri.parse(uri)));
    }

    /**
     * The list prices of the provider in a store's URI. Any other endpoint is the user's own
     * machine, or a provider without a table.
     */
    static Optional<PriceTable> of(StoreUri store) {
        Optional<String> host = store.parameter("endpoint").map(PriceTables::host);
        return switch (store.scheme()) {
            case "s3" -> s3(store.authority(), host);
            case "gs" -> at(host, "googleapis.com", "gcp");
            case "az" -> at(host, "core.windows.net", "azure");
            default -> Optional.empty();
        };
    }

    private static Optional<PriceTable> s3(String bucket, Optional<String> host) {
        if (host.isPresent() && host.get().endsWith(".r2.cloudflarestorage.com")) {
            return Optional.of(named("r2"));
        }
        return at(host, "amazonaws.com", bucket.endsWith(EXPRESS_BUCKET) ? "aws-s3-express" : "aws");
    }

    private static Optional<PriceTable> at(Optional<String> host, String provider, String table) {
        boolean isProvider =
                host.isEmpty() || host.get().equals(provider) || host.get().endsWith("." + provider);
        return isProvider ? Optional.of(named(table)) : Optional.empty();
    }

    /** The host of an endpoint that the store itself has not checked yet. */
    private static String host(String endpoint) {
        try {
            return Objects.requireNonNullElse(new URI(endpoint).getHost(), "");
        } catch (URISyntaxException e) {
            return "";
        }
    }

    /**
     * Reads a file in the format of the shipped tables.
     *
     * @throws InvalidSettingsException fatal: the file cannot be read, or an entry is missing,
     *     unknown or not a number
     */
    public static PriceTable read(Path file) {
        return table(PriceEntries.read(WHAT, file));
    }

    private static PriceTable table(PriceEntries entries) {
        PriceTable table = new PriceTable(
                entries.text("name"),
                entries.text("title"),
                entries.text("date"),
                entries.text("source"),
                entries.text("scheme"),
                new PriceTable.Requests(
                        entries.number("put.usd.per.1000.requests") / 1000,
                        entries.number("get.usd.per.1000.requests") / 1000,
                        entries.number("list.usd.per.1000.requests") / 1000),
                new PriceTable.Traffic(
                        entries.number("gigabyte.bytes"),
                        entries.number("storage.usd.per.gb.month"),
                        entries.number("upload.usd.per.gb"),
                        entries.number("download.usd.per.gb"),
                        entries.number("zone.crossing.usd.per.gb")),
                entries.number("month.hours"),
                entries.number("vcpu.usd.per.hour"),
                entries.text("latency.profile"));
        entries.requireAllKnown();
        return table;
    }
}
