package dev.blobshuffle.planner.messaging;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Reads assumptions. A line is {@code name | value | unit | source | date}; a line that starts with
 * {@code #} is a comment. The value {@code planner} stands for the price in the planner's price
 * table. Stateless.
 */
public final class AssumptionsFile {
    private static final String SHIPPED = "assumptions.txt";
    private static final String FROM_PRICES = "planner";
    private static final int COLUMNS = 5;
    private static final long MOST_BYTES = 1 << 20;

    private AssumptionsFile() {}

    /** The assumptions that ship with the planner, with prices from a table. */
    public static Assumptions shipped(PriceTable prices) {
        try (InputStream file = Objects.requireNonNull(AssumptionsFile.class.getResourceAsStream(SHIPPED))) {
            return parse(new String(file.readAllBytes(), StandardCharsets.UTF_8), SHIPPED, prices);
        } catch (IOException e) {
            throw new InvalidSettingsException(
                    "Cannot read the shipped assumptions: " + e + ". Check the installation.", e);
        }
    }

    /**
     * The assumptions of a file.
     *
     * @throws InvalidSettingsException if the file cannot be read, or a line is wrong, unknown,
     *     given twice or missing
     */
    public static Assumptions read(Path file, PriceTable prices) {
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw new InvalidSettingsException("Cannot read assumptions from " + file + ": it has more than "
                        + MOST_BYTES + " bytes. Give a file of assumptions.");
            }
            return parse(Files.readString(file), file.toString(), prices);
        } catch (IOException e) {
            throw new InvalidSettingsException(
                    "Cannot read assumptions from " + file + ": " + e + ". Give a text file in UTF-8.", e);
        }
    }

    static Assumptions parse(String text, String name, PriceTable prices) {
        Map<Quantity, Assumption> values = new EnumMap<>(Quantity.class);
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            try {
                Assumption assumption = assumption(line, prices);
                if (values.put(assumption.quantity(), assumption) != null) {
                    throw new InvalidSettingsException(
                            "Cannot use " + assumption.quantity().key() + ": it is there twice. Remove one line.");
                }
            } catch (InvalidSettingsException e) {
                throw new InvalidSettingsException(name + ", line " + number + ": " + e.getMessage(), e);
            }
        }
        return new Assumptions(values);
    }

    private static Assumption assumption(String line, PriceTable prices) {
        List<String> columns =
                Arrays.stream(line.split("\\|", -1)).map(String::strip).toList();
        if (columns.size() != COLUMNS || columns.contains("")) {
            throw new InvalidSettingsException("Cannot read the line: it has not five filled columns."
                    + " Write 'name | value | unit | source | date'.");
        }
        Quantity quantity = quantity(columns.get(0));
        if (!columns.get(2).equals(quantity.unit())) {
            throw new InvalidSettingsException("Cannot use " + quantity.key() + ": its unit is '" + columns.get(2)
                    + "'. Give the value in " + quantity.unit() + ".");
        }
        if (columns.get(1).equals(FROM_PRICES)) {
            double price = priced(quantity, prices)
                    .orElseThrow(() -> new InvalidSettingsException("Cannot take " + quantity.key()
                            + " from the price table: the table does not have it. Give a number."));
            return new Assumption(quantity, price, prices.title() + ": " + prices.source(), prices.date());
        }
        return new Assumption(quantity, number(quantity, columns.get(1)), columns.get(3), columns.get(4));
    }

    /** The price in a price table. A price per billed gigabyte is converted to one per GiB. */
    private static Optional<Double> priced(Quantity quantity, PriceTable prices) {
        PriceTable.Traffic traffic = prices.traffic();
        double gibibyte = 1 << 30;
        return switch (quantity) {
            case PRICE_PUT -> Optional.of(prices.requests().put() * 1000);
            case PRICE_GET -> Optional.of(prices.requests().get() * 1000);
            case PRICE_STORAGE -> Optional.of(traffic.of(gibibyte, traffic.storageMonth()));
            case PRICE_CROSSING -> Optional.of(traffic.of(gibibyte, traffic.crossing()));
            case PRICE_VCPU -> Optional.of(prices.vcpuPerHour());
            case MONTH_HOURS -> Optional.of(prices.monthHours());
            default -> Optional.empty();
        };
    }

    static Quantity quantity(String key) {
        return Quantity.named(key)
                .orElseThrow(() -> new InvalidSettingsException("Cannot use '" + key
                        + "': there is no assumption of this name."
                        + " There are "
                        + Arrays.stream(Quantity.values()).map(Quantity::key).toList() + "."));
    }

    static double number(Quantity quantity, String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw new InvalidSettingsException(
                    "Cannot use " + quantity.key() + ": '" + text + "' is not a number. Give a number in "
                            + quantity.unit() + ".",
                    e);
        }
    }
}
