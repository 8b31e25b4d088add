package dev.blobshuffle.flightdaemon.internal.server;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.blobshuffle.flightdaemon.internal.blob.MapSet;
import dev.blobshuffle.flightdaemon.internal.blob.PartitionRange;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The body of an action: a JSON object with known fields. Total: a value or
 * {@link IllegalArgumentException}.
 */
final class ActionBody {
    private final JsonObject fields;
    private final String action;

    /**
     * Parses a body.
     *
     * @param known the action's fields; any other field is an error
     */
    ActionBody(String action, byte[] body, Set<String> known) {
        this.action = action;
        String text = new String(body, StandardCharsets.UTF_8);
        try {
            JsonElement parsed = JsonParser.parseString(text.isBlank() ? "{}" : text);
            if (!parsed.isJsonObject()) {
                throw invalid("its body is not a JSON object");
            }
            fields = parsed.getAsJsonObject();
        } catch (JsonParseException | StackOverflowError e) {
            throw new IllegalArgumentException("Cannot do action " + action + ": its body is not JSON.", e);
        }
        for (String name : fields.keySet()) {
            if (!known.contains(name)) {
                throw invalid("it has no field '" + name + "', only " + known);
            }
        }
    }

    String text(String name) {
        return element(name)
                .filter(element -> element.isJsonPrimitive()
                        && element.getAsJsonPrimitive().isString())
                .map(JsonElement::getAsString)
                .orElseThrow(() -> invalid("it needs the text '" + name + "'"));
    }

    boolean has(String name) {
        return element(name).isPresent();
    }

    int integer(String name) {
        long value = number(element(name).orElseThrow(() -> invalid("it needs the number '" + name + "'")), name);
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw invalid("'" + name + "' is " + value);
        }
        return (int) value;
    }

    long startFrame() {
        return element("start_frame")
                .map(element -> number(element, "start_frame"))
                .orElse(0L);
    }

    /** One partition, or a range from its two ends. */
    PartitionRange partitions() {
        if (has("partition") && has("partitions")) {
            throw invalid("it has both 'partition' and 'partitions'");
        }
        if (has("partition")) {
            return PartitionRange.of(integer("partition"));
        }
        List<Long> ends = numbers(
                element("partitions").orElseThrow(() -> invalid("it needs 'partition' or 'partitions'")), "partitions");
        return new PartitionRange(Math.toIntExact(ends.get(0)), Math.toIntExact(ends.get(1)));
    }

    /** The listed maps; empty: the committed maps. */
    Optional<MapSet> maps() {
        return element("maps").map(element -> {
            if (!element.isJsonArray()) {
                throw invalid("'maps' is not a list of [map, attempt]");
            }
            List<MapSet.Attempt> attempts = new ArrayList<>();
            for (JsonElement one : element.getAsJsonArray()) {
                List<Long> pair = numbers(one, "maps");
                attempts.add(new MapSet.Attempt(pair.get(0), pair.get(1)));
            }
            return new MapSet.Listed(attempts);
        });
    }

    private List<Long> numbers(JsonElement element, String name) {
        if (!element.isJsonArray() || element.getAsJsonArray().size() != 2) {
            throw invalid("'" + name + "' must have two numbers");
        }
        return element.getAsJsonArray().asList().stream()
                .map(one -> number(one, name))
                .toList();
    }

    private long number(JsonElement element, String name) {
        try {
            BigDecimal number = element.getAsBigDecimal();
            if (number.precision() > 19 || Math.abs((long) number.scale()) > 19) {
                throw invalid("'" + name + "' is out of range");
            }
            return number.longValueExact();
        } catch (ArithmeticException
                | NumberFormatException
                | IllegalStateException
                | UnsupportedOperationException e) {
            throw new IllegalArgumentException(
                    "Cannot do action " + action + ": '" + name + "' is not a whole number.", e);
        }
    }

    private Optional<JsonElement> element(String name) {
        return Optional.ofNullable(fields.get(name)).filter(element -> !element.isJsonNull());
    }

    private IllegalArgumentException invalid(String reason) {
        return new IllegalArgumentException("Cannot do action " + action + ": " + reason + ".");
    }
}
