package dev.blobshuffle.planner;

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
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/** Reads the shipped prices of Kafka services, and files of the same form. Stateless. */
public final class KafkaPriceTables {
    private static final List<String> NAMES =
            List.of("self-managed", "msk", "msk-express", "confluent-cloud", "diskless", "warpstream");

    private KafkaPriceTables() {}

    /** Names of the shipped tables, the default first. */
    public static List<String> names() {
        return NAMES;
    }

    /** Brokers of your own: the cloud bills each crossing, and nothing else is counted. */
    public static KafkaPrices selfManaged() {
        return named(NAMES.get(0));
    }

    /**
     * A shipped table.
     *
     * @throws InvalidSettings fatal: there is none
     */
    public static KafkaPrices named(String name) {
        if (!NAMES.contains(name)) {
            throw new InvalidSettings("Cannot find prices of Kafka service '" + name + "': there are "
                    + String.join(", ", NAMES) + ". Give one of these, or a file of your own with --kafka-prices.");
        }
        String resource = "kafka/" + name + ".properties";
        try (InputStream stream = KafkaPriceTables.class.getResourceAsStream(resource)) {
            if (stream == null) {
                throw new IllegalStateException("Cannot find resource " + resource + ": the jar is incomplete.");
            }
            return read(name, new InputStreamReader(stream, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalStateException("Cannot read resource " + resource + ": the jar is damaged.", e);
        }
    }

    /**
     * Reads a file of the form of the shipped tables.
     *
     * @throws InvalidSettings fatal: it cannot be read, or an entry is missing, unknown or not a
     *     number
     */
    public static KafkaPrices read(Path file) {
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            return read(file.toString(), reader);
        } catch (IOException e) {
            throw new InvalidSettings(
                    "Cannot read prices of a Kafka service from " + file
                            + ": it cannot be opened. Give a readable file.",
                    e);
        }
    }

    private static KafkaPrices read(String name, Reader reader) throws IOException {
        Properties entries = new Properties();
        try {
            entries.load(reader);
        } catch (IllegalArgumentException e) {
            throw new InvalidSettings(
                    "Cannot read prices of a Kafka service from " + name + ": " + e.getMessage()
                            + ". Give a properties file in UTF-8.",
                    e);
        }
        return new Entries(name, entries).prices();
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

        private KafkaPrices prices() {
            KafkaPrices prices = new KafkaPrices(
                    text("name"),
                    text("title"),
                    text("date"),
                    text("source"),
                    text("assumed"),
                    new KafkaPrices.Crossings(number("client.crossings.billed"), number("replica.crossings.billed")),
                    new KafkaPrices.Service(
                            number("gigabyte.bytes"),
                            number("written.usd.per.gb"),
                            number("read.usd.per.gb"),
                            number("puts.per.gb"),
                            number("gets.per.gb")),
                    number("notification.seconds"));
            Set<String> unknown = new TreeSet<>(entries.stringPropertyNames());
            known.forEach(unknown::remove);
            if (!unknown.isEmpty()) {
                throw new InvalidSettings("Cannot use prices of a Kafka service from " + file + ": there is no entry "
                        + String.join(", ", unknown) + ". The entries are " + String.join(", ", known) + ".");
            }
            return prices;
        }

        private String text(String key) {
            known.add(key);
            String value = entries.getProperty(key);
            if (value == null || value.isBlank()) {
                throw new InvalidSettings("Cannot use prices of a Kafka service from " + file + ": entry " + key
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
            throw new InvalidSettings("Cannot use prices of a Kafka service from " + file + ": " + key + " is '" + text
                    + "', which is no number. Give a decimal number with a point.");
        }
    }
}
