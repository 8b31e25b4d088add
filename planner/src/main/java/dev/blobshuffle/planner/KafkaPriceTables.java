package dev.blobshuffle.planner;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.pricing.PriceEntries;
import java.nio.file.Path;
import java.util.List;

/** Reads the shipped prices of Kafka services, and files of the same form. Stateless. */
public final class KafkaPriceTables {
    private static final List<String> NAMES =
            List.of("self-managed", "msk", "msk-express", "confluent-cloud", "diskless", "warpstream");

    /** The name of these tables in messages. */
    private static final String WHAT = "prices of a Kafka service";

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
     * @throws InvalidSettingsException fatal: there is none
     */
    public static KafkaPrices named(String name) {
        if (!NAMES.contains(name)) {
            throw new InvalidSettingsException("Cannot find prices of Kafka service '" + name + "': there are "
                    + String.join(", ", NAMES) + ". Give one of these, or a file of your own with --kafka-prices.");
        }
        return prices(PriceEntries.shipped(WHAT, name, KafkaPriceTables.class, "kafka/" + name + ".properties"));
    }

    /**
     * Reads a file of the form of the shipped tables.
     *
     * @throws InvalidSettingsException fatal: it cannot be read, or an entry is missing, unknown or
     *     not a number
     */
    public static KafkaPrices read(Path file) {
        return prices(PriceEntries.read(WHAT, file));
    }

    private static KafkaPrices prices(PriceEntries entries) {
        KafkaPrices prices = new KafkaPrices(
                entries.text("name"),
                entries.text("title"),
                entries.text("date"),
                entries.text("source"),
                entries.text("assumed"),
                new KafkaPrices.Crossings(
                        entries.number("client.crossings.billed"), entries.number("replica.crossings.billed")),
                new KafkaPrices.Service(
                        entries.number("gigabyte.bytes"),
                        entries.number("written.usd.per.gb"),
                        entries.number("read.usd.per.gb"),
                        entries.number("puts.per.gb"),
                        entries.number("gets.per.gb")),
                entries.number("notification.seconds"));
        entries.requireAllKnown();
        return prices;
    }
}
