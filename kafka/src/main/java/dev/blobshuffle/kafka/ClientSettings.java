package dev.blobshuffle.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/** Settings of a plain application's client: Kafka's, of which some are taken over from the real client, and ours. Stateless. */
final class ClientSettings {
    private ClientSettings() {}

    static Map<String, Object> toMap(Properties settings) {
        Map<String, Object> map = new HashMap<>();
        settings.forEach((name, value) -> map.put(String.valueOf(name), value));
        for (String name : settings.stringPropertyNames()) {
            map.putIfAbsent(name, settings.getProperty(name));
        }
        return map;
    }
}
