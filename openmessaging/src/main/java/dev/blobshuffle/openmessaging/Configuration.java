package dev.blobshuffle.openmessaging;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.File;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads the settings of messaging from the benchmark's configuration file of a driver. */
final class Configuration {
    private static final String SECTION = "settings";
    private static final String PREFIX = "blobshuffle.";
    private static final String REMEDY = " Write one line 'blobshuffle.…: value' per setting under '" + SECTION + "'.";

    private Configuration() {}

    /**
     * The entries of the section {@code settings}.
     *
     * @throws IOException the file cannot be read, or is not YAML
     * @throws IllegalArgumentException the section is absent, or has an entry that is no setting
     */
    static Map<String, String> settings(File file) throws IOException {
        JsonNode section = new ObjectMapper(new YAMLFactory()).readTree(file).path(SECTION);
        if (!section.isObject() || section.isEmpty()) {
            throw wrong(file, "it has no section '" + SECTION + "' with entries");
        }
        Map<String, String> settings = new LinkedHashMap<>();
        for (Iterator<Map.Entry<String, JsonNode>> entries = section.fields(); entries.hasNext(); ) {
            Map.Entry<String, JsonNode> entry = entries.next();
            if (!entry.getKey().startsWith(PREFIX)) {
                throw wrong(file, "'" + entry.getKey() + "' does not begin with '" + PREFIX + "'");
            }
            if (!entry.getValue().isValueNode() || entry.getValue().isNull()) {
                throw wrong(file, "'" + entry.getKey() + "' has no value, or more than one");
            }
            settings.put(entry.getKey(), entry.getValue().asText());
        }
        return settings;
    }

    private static IllegalArgumentException wrong(File file, String reason) {
        return new IllegalArgumentException("Cannot configure the driver from " + file + ": " + reason + "." + REMEDY);
    }
}
