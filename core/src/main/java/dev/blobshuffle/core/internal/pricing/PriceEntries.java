package dev.blobshuffle.core.internal.pricing;

import dev.blobshuffle.core.failure.InvalidSettingsException;
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

/**
 * The entries of one file of prices. It records which entries are requested. Owned by one thread.
 */
public final class PriceEntries {
    private final String what;
    private final String file;
    private final Properties entries = new Properties();
    private final List<String> known = new ArrayList<>();

    private PriceEntries(String what, String file, Reader reader) throws IOException {
        this.what = what;
        this.file = file;
        try {
            entries.load(reader);
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingsException(
                    "Cannot read " + what + " from " + file + ": " + e.getMessage()
                            + ". Give a properties file in UTF-8.",
                    e);
        }
    }

    /**
     * Reads a table that is in the jar of a class.
     *
     * @param what names such tables in messages, for example "prices"
     * @param name the name of this table
     * @param resource the table's path, relative to the class
     */
    public static PriceEntries shipped(String what, String name, Class<?> owner, String resource) {
        try (InputStream stream = owner.getResourceAsStream(resource)) {
            if (stream == null) {
                throw new IllegalStateException("Cannot find resource " + resource + ": the jar is incomplete.");
            }
            return new PriceEntries(what, name, new InputStreamReader(stream, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalStateException("Cannot read resource " + resource + ": the jar is damaged.", e);
        }
    }

    /**
     * Reads a file in the format of the shipped tables.
     *
     * @param what names such tables in messages
     * @throws InvalidSettingsException fatal: the file cannot be read
     */
    public static PriceEntries read(String what, Path file) {
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new InvalidSettingsException(
                    "Cannot read " + what + " from " + file + ": there is no readable file. Give another one.");
        }
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            return new PriceEntries(what, file.toString(), reader);
        } catch (IOException e) {
            throw new InvalidSettingsException(
                    "Cannot read " + what + " from " + file + ": " + e + ". Give a readable file.", e);
        }
    }

    /**
     * The text of an entry.
     *
     * @throws InvalidSettingsException fatal: the entry is missing
     */
    public String text(String key) {
        known.add(key);
        String value = entries.getProperty(key);
        if (value == null || value.isBlank()) {
            throw new InvalidSettingsException("Cannot use " + what + " from " + file + ": entry " + key
                    + " is missing. Copy a shipped table and change it.");
        }
        return value.strip();
    }

    /**
     * The number of an entry.
     *
     * @throws InvalidSettingsException fatal: the entry is missing or not a finite number
     */
    public double number(String key) {
        String text = text(key);
        try {
            double value = Double.parseDouble(text);
            if (Double.isFinite(value)) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Reported below, as is an infinite number.
        }
        throw new InvalidSettingsException("Cannot use " + what + " from " + file + ": " + key + " is '" + text
                + "', which is not a number. Give a decimal number with a point.");
    }

    /**
     * Requires that all entries of the file have been requested.
     *
     * @throws InvalidSettingsException fatal: the file has another entry
     */
    public void requireAllKnown() {
        Set<String> unknown = new TreeSet<>(entries.stringPropertyNames());
        known.forEach(unknown::remove);
        if (!unknown.isEmpty()) {
            throw new InvalidSettingsException("Cannot use " + what + " from " + file + ": there is no entry "
                    + String.join(", ", unknown) + ". The entries are " + String.join(", ", known) + ".");
        }
    }
}
