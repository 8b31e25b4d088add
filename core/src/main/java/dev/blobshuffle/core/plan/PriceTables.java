package dev.blobshuffle.core.plan;

import dev.blobshuffle.core.failure.InvalidSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/** The price tables that come with the library, and files of the same form. Stateless. */
public final class PriceTables {
    private static final List<String> NAMES = List.of(
            "aws-us-east-1", "aws-s3-express-us-east-1", "gcp-us-east1", "azure-eastus", "r2-from-aws", "self-hosted");

    private PriceTables() {}

    /** Names of the tables that come with the library, the default first. */
    public static List<String> names() {
        return NAMES;
    }

    /**
     * A table that comes with the library, by its name or the beginning of it ({@code aws}).
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
     * The table that prices a store at its usual provider; empty for schemes that cost nothing per request.
     *
     * @param scheme of the store's URI
     */
    public static Optional<PriceTable> ofScheme(String scheme) {
        return switch (scheme) {
            case "s3" -> Optional.of(named("aws-us-east-1"));
            case "gs" -> Optional.of(named("gcp-us-east1"));
            case "az" -> Optional.of(named("azure-eastus"));
            default -> Optional.empty();
        };
    }

    /**
     * Reads a file of the form of the shipped tables.
     *
     * @throws InvalidSettings fatal: it cannot be read, or an entry is missing, unknown or no number
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

    /** The entries of one file; remembers which were asked for. */
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
                // Told below, as an infinite number is.
            }
            throw new InvalidSettings("Cannot use prices from " + file + ": " + key + " is '" + text
                    + "', which is no number. Give a decimal number with a point.");
        }
    }
}
