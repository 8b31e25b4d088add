package dev.blobshuffle.bench.search;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** JSON objects whose names keep their order. Stateless. */
final class Ordered {
    private Ordered() {}

    /** An object of names and values in turn. */
    static Map<String, Object> json(Object... namesAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put((String) namesAndValues[i], Objects.requireNonNull(namesAndValues[i + 1]));
        }
        return map;
    }
}
