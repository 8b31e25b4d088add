package dev.blobshuffle.bench.demo.messaging;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/**
 * The task of a child process.
 *
 * @param name of the publisher
 * @param life the name of this life of the publisher or the subscriber; unique to the process
 * @param directory for its files
 * @param rate records per second of a publisher
 * @param messaging the settings of its instance
 */
record ChildSettings(String name, String life, Path directory, int rate, Map<String, String> messaging) {
    private static final String PREFIX = "blobshuffle.";

    /** Copies the settings. */
    ChildSettings {
        messaging = Map.copyOf(messaging);
    }

    /** Writes the file that {@link #read} reads. */
    Path write() throws IOException {
        Properties properties = new Properties();
        messaging.forEach(properties::setProperty);
        properties.setProperty("name", name);
        properties.setProperty("life", life);
        properties.setProperty("directory", directory.toString());
        properties.setProperty("rate", Integer.toString(rate));
        Path file = directory.resolve(life + ".properties");
        try (Writer out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
            properties.store(out, null);
        }
        return file;
    }

    static ChildSettings read(Path file) throws IOException {
        Properties properties = new Properties();
        try (Reader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(in);
        }
        Map<String, String> messaging = new HashMap<>();
        properties.stringPropertyNames().stream()
                .filter(key -> key.startsWith(PREFIX))
                .forEach(key -> messaging.put(key, properties.getProperty(key)));
        return new ChildSettings(
                properties.getProperty("name"),
                properties.getProperty("life"),
                Path.of(properties.getProperty("directory")),
                Integer.parseInt(properties.getProperty("rate")),
                messaging);
    }
}
