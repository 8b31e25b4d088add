package dev.blobshuffle.cli.profile;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Properties;

/** Formats settings as a properties file. Stateless. */
final class PropertiesText {
    private PropertiesText() {}

    /**
     * The text of a file.
     *
     * @param comment first lines, each with its {@code #} and line end
     */
    static String of(String comment, Map<String, String> settings) {
        StringBuilder text = new StringBuilder(comment);
        settings.forEach((name, value) -> text.append(line(name, value)).append('\n'));
        return text.toString();
    }

    /** A line with escapes. The format of the JDK begins with a timestamp, which is removed. */
    private static String line(String name, String value) {
        Properties one = new Properties();
        one.setProperty(name, value);
        StringWriter written = new StringWriter();
        try {
            one.store(written, null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return written.toString()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .findFirst()
                .orElseThrow();
    }
}
