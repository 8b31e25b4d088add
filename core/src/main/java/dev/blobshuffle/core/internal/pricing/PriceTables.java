package dev.blobshuffle.core.internal.pricing;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.store.StoreUri;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/** Reads the price tables that ship with the library, and files of the same form. Stateless. */
public final class PriceTables {
    private static final List<String> NAMES = List.of(
            "aws-us-east-1", "aws-s3-express-us-east-1", "gcp-us-east1", "azure-eastus", "r2-from-aws", "self-hosted");

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
     * @throws InvalidSettings fatal: there is none
     */
    public static PriceTable named(String name) {
        String found = NAMES.stream()
                .filter(candidate -> candidate.equals(name) || candidate.startsWith(name + "-"))
                .findFirst()
                .orElseThrow(() -> new InvalidSettings("Cannot find prices of '" + name + "': there are "
                        + String.join(", ", NAMES) + ". Give one of these, or a file of your own."));
        String resource = "prices/" + found + ".properties";
        try (InputStream stream = PriceTables.class.getResourceAsStream(resource)) {
            if (stream == null) {
                throw new IllegalStateException("Cannot find resource " + resource + ": the jar is incomplete.");
            }
            return read(found, new InputStreamReader(stream, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalStateException("Cannot read resource " + resource + ": the jar is damaged.", e);
        }
    }

    /**
     * The prices that the settings name, else those of the store's provider. Empty if requests are
     * free or their price is unknown.
     *
     * @throws InvalidSettings fatal: there are no such prices
     */
    public static Optional<PriceTable> of(Settings settings) {
        Optional<String> given = settings.value(StoreSettings.PRICES);
        if (given.isPresent()) {
            boolean isFile = given.get().contains("/") || given.get().endsWith(".properties");
            return Optional.of(isFile ? read(Path.of(given.get())) : named(given.get()));
        }
        return settings.value(StoreSettings.STORE).flatMap(uri -> of(StoreUri.parse(uri)));
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
     * Reads a file of the form of the shipped tables.
     *
     * @throws InvalidSettings fatal: it cannot be read, or an entry is missing, unknown or not a
     *     number
     */
    public static PriceTable read(Path file) {
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new InvalidSettings(
                    "Cannot read prices from " + file + ": there is no readable file. Give another one.");
        }
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            return read(file.toString(), reader);
        } catch (IOException e) {
            throw new InvalidSettings("Cannot read prices from " + file + ": " + e + ". Give a readable file.", e);
        }
    }

    private static PriceTable read(String name, Reader reader) throws IOException {
        Properties entries = new Properties();
        try {
            entries.load(reader);
        } catch (IllegalArgumentException e) {
            throw new InvalidSettings(
                    "Cannot read prices from " + name + ": " + e.getMessage() + ". Give a properties file in UTF-8.",
                    e);
        }
        return new Entries(name, entries).table();
    }

    /** The entries of one file. Records which were read. */
    private static final class Entries {
        private final String file;
        private final Properties entries;
        private final List<String> known = new ArrayList<>();

        private Entries(String file, Properties entries) {
            this.file = file;
            this.entries = entries;
        }

        private PriceTable table() {
            PriceTable table = new PriceTable(
                    text("name"),
                    text("title"),
                    text("date"),
                    text("source"),
                    text("scheme"),
                    new PriceTable.Requests(
                            number("put.usd.per.1000.requests") / 1000,
                            number("get.usd.per.1000.requests") / 1000,
                            number("list.usd.per.1000.requests") / 1000),
                    new PriceTable.Traffic(
                            number("gigabyte.bytes"),
                            number("storage.usd.per.gb.month"),
                            number("upload.usd.per.gb"),
                            number("download.usd.per.gb"),
                            number("zone.crossing.usd.per.gb")),
                    number("month.hours"),
                    number("vcpu.usd.per.hour"),
                    text("latency.profile"));
            Set<String> unknown = new TreeSet<>(entries.stringPropertyNames());
            known.forEach(unknown::remove);
            if (!unknown.isEmpty()) {
                throw new InvalidSettings("Cannot use prices from " + file + ": there is no entry "
                        + String.join(", ", unknown) + ". The entries are " + String.join(", ", known) + ".");
            }
            return table;
        }

        private String text(String key) {
            known.add(key);
            String value = entries.getProperty(key);
            if (value == null || value.isBlank()) {
                throw new InvalidSettings("Cannot use prices from " + file + ": entry " + key
                        + " is missing. Copy a shipped table and change it.");
            }
            return value.strip();
        }

        private double number(String key) {
            String text = text(key);
            try {
                double value = Double.parseDouble(text);
                if (Double.isFinite(value)) {
                    return value;
                }
            } catch (NumberFormatException e) {
                // Reported below, as is an infinite number.
            }
            throw new InvalidSettings("Cannot use prices from " + file + ": " + key + " is '" + text
                    + "', which is no number. Give a decimal number with a point.");
        }
    }
}
