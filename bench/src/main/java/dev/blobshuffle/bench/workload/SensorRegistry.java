package dev.blobshuffle.bench.workload;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import java.util.TreeMap;

/**
 * The hierarchy of UC4: sensors in groups of four, these in groups of four again, and so on to one
 * at the top. As JSON: objects with {@code identifier} and {@code children}. Stateless.
 */
final class SensorRegistry {
    static final int CHILDREN = 4;
    private static final ObjectMapper JSON = new ObjectMapper();

    private SensorRegistry() {}

    /** Number of sensors under groups of a depth. */
    static int sensors(int depth) {
        return Math.toIntExact(Math.round(Math.pow(CHILDREN, depth)));
    }

    static String group(int level, int index) {
        return "g_" + level + "_" + index;
    }

    /** The registry of a depth, 1 or more. */
    static String json(int depth) {
        return json(depth, 0);
    }

    private static String json(int level, int index) {
        if (level == 0) {
            return "{\"identifier\":\"" + Sensors.name(index) + "\"}";
        }
        StringBuilder text = new StringBuilder("{\"identifier\":\"" + group(level, index) + "\",\"children\":[");
        for (int child = 0; child < CHILDREN; child++) {
            text.append(child == 0 ? "" : ",").append(json(level - 1, index * CHILDREN + child));
        }
        return text.append("]}").toString();
    }

    /** The parents of everything that has one, separated by commas. */
    static Map<String, String> parents(String json) {
        Map<String, String> parents = new TreeMap<>();
        try {
            collect(JSON.readTree(json), parents);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("Cannot read a sensor registry: " + e.getMessage() + ". Give JSON.", e);
        }
        return parents;
    }

    private static void collect(JsonNode group, Map<String, String> parents) {
        for (JsonNode child : group.path("children")) {
            parents.merge(
                    child.path("identifier").asText(),
                    group.path("identifier").asText(),
                    (one, other) -> one + "," + other);
            collect(child, parents);
        }
    }
}
