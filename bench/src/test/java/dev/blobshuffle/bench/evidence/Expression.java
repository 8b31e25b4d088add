package dev.blobshuffle.bench.evidence;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleBinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Computes numbers from kept results. Owned by one thread.
 *
 * <pre>
 * numbers = sum { ";" sum }
 * sum     = product { ("+" | "-") product }
 * product = factor { ("*" | "/") factor }
 * factor  = NUMBER | "(" sum ")" | FUNCTION "(" sum { "," sum } ")" | path
 * path    = [ FILE ".json#" ] step { "." step }
 * step    = NAME [ "[" ( INDEX | NAME OPERATOR VALUE { "," NAME OPERATOR VALUE } ) "]" ]
 * </pre>
 *
 * <p>A path leads to one number, or through a list to one number of each element. An operation on
 * two lists takes the numbers of one repetition together. The functions are {@code median}, {@code
 * least}, {@code most}, {@code spread} (these three), {@code range} (least and most), {@code
 * count} and {@code sum}. An operator of a filter is one of {@code =}, {@code !=}, {@code <} and
 * {@code >}; its name may have dots.
 */
final class Expression {
    private static final Pattern FILE = Pattern.compile("\\G([a-z0-9-]+\\.json)#");
    private static final Pattern NAME = Pattern.compile("\\G[A-Za-z_][A-Za-z0-9_-]*");
    private static final Pattern NUMBER = Pattern.compile("\\G[0-9]+(\\.[0-9]+)?(e[0-9]+)?");
    private static final Pattern CONDITION = Pattern.compile("([\\w.-]+)\\s*(!=|=|<|>)\\s*(.*)");

    private final KeptFiles files;
    private final String file;
    private final String text;
    private final Set<String> used = new HashSet<>();
    private int at;
    private boolean isSteady = true;

    /**
     * @param files all results
     * @param file the one of paths that name none
     * @param text the expression
     */
    Expression(KeptFiles files, String file, String text) {
        this.files = files;
        this.file = file;
        this.text = text;
    }

    /**
     * The numbers.
     *
     * @throws IllegalArgumentException if the text is no expression, or leads to no number
     */
    List<Double> numbers() {
        List<Double> numbers = new ArrayList<>();
        do {
            List<Sample> samples = sum();
            boolean isOne = samples.size() == 1
                    || !samples.isEmpty()
                            && samples.stream().allMatch(sample -> sample.key().equals("function"));
            require(isOne, samples.size() + " numbers where one belongs; use a function");
            samples.forEach(sample -> {
                numbers.add(sample.number());
                isSteady &= sample.isSteady();
            });
        } while (isNext(';'));
        require(at == text.length(), "unexpected text");
        return numbers;
    }

    /** Whether all runs that the numbers come from were steady. */
    boolean isSteady() {
        return isSteady;
    }

    /** The results that were read. */
    Set<String> used() {
        return used;
    }

    private List<Sample> sum() {
        List<Sample> left = product();
        while (true) {
            if (isNext('+')) {
                left = combined(left, product(), Double::sum);
            } else if (isNext('-')) {
                left = combined(left, product(), (a, b) -> a - b);
            } else {
                return left;
            }
        }
    }

    private List<Sample> product() {
        List<Sample> left = factor();
        while (true) {
            if (isNext('*')) {
                left = combined(left, factor(), (a, b) -> a * b);
            } else if (isNext('/')) {
                left = combined(left, factor(), (a, b) -> a / b);
            } else {
                return left;
            }
        }
    }

    private List<Sample> factor() {
        skipSpace();
        if (isNext('(')) {
            List<Sample> inner = sum();
            require(isNext(')'), "no ) here");
            return inner;
        }
        Matcher from = FILE.matcher(text);
        if (from.find(at)) {
            at = from.end();
            return path(from.group(1));
        }
        Matcher number = NUMBER.matcher(text);
        if (number.find(at)) {
            at = number.end();
            return List.of(Sample.of(Double.parseDouble(number.group())));
        }
        Matcher name = NAME.matcher(text);
        if (name.find(at) && name.end() < text.length() && text.charAt(name.end()) == '(') {
            at = name.end() + 1;
            List<Sample> all = new ArrayList<>(sum());
            while (isNext(',')) {
                all.addAll(sum());
            }
            require(isNext(')'), "no ) here");
            return function(name.group(), all);
        }
        return path(file);
    }

    private List<Sample> function(String name, List<Sample> of) {
        List<Double> sorted = of.stream().map(Sample::number).sorted().toList();
        boolean areSteady = of.stream().allMatch(Sample::isSteady);
        if (name.equals("count")) {
            return List.of(new Sample("function", sorted.size(), areSteady));
        }
        require(!sorted.isEmpty(), "no number");
        double least = sorted.get(0);
        double most = sorted.get(sorted.size() - 1);
        int half = sorted.size() / 2;
        double median = sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
        List<Double> result = switch (name) {
            case "median" -> List.of(median);
            case "least" -> List.of(least);
            case "most" -> List.of(most);
            case "spread" -> List.of(median, least, most);
            case "range" -> List.of(least, most);
            case "sum" ->
                List.of(sorted.stream().mapToDouble(Double::doubleValue).sum());
            default -> throw wrong("there is no function " + name);
        };
        return result.stream()
                .map(number -> new Sample("function", number, areSteady))
                .toList();
    }

    private List<Sample> combined(List<Sample> left, List<Sample> right, DoubleBinaryOperator operator) {
        List<Sample> results = new ArrayList<>();
        if (left.size() == 1 || right.size() == 1) {
            for (Sample one : left) {
                for (Sample other : right) {
                    results.add(one.with(other, operator.applyAsDouble(one.number(), other.number())));
                }
            }
            return results;
        }
        Map<String, Sample> byKey = new HashMap<>();
        right.forEach(other -> require(byKey.put(other.key(), other) == null, "two numbers of one repetition"));
        require(left.size() == right.size(), left.size() + " and " + right.size() + " numbers");
        for (Sample one : left) {
            Sample other = byKey.get(one.key());
            require(other != null, "no number of repetition " + one.key());
            results.add(one.with(other, operator.applyAsDouble(one.number(), other.number())));
        }
        return results;
    }

    /** Nodes that a path has led to, each with its repetition. */
    private record Place(JsonNode node, String key, boolean isSteady) {
        Place to(JsonNode next) {
            JsonNode repetition = next.has("repetition") ? next.path("repetition") : next.path("round");
            boolean isStill = isSteady && next.path("steady").asBoolean(true);
            return new Place(next, repetition.isMissingNode() ? key : repetition.asText(), isStill);
        }
    }

    private List<Sample> path(String from) {
        used.add(from);
        int start = at;
        List<Place> places = List.of(new Place(files.content(from), "", true));
        do {
            Matcher name = NAME.matcher(text);
            if (name.find(at)) {
                at = name.end();
                places = places.stream()
                        .flatMap(place -> place.node.isArray() ? elements(place, "").stream() : Stream.of(place))
                        .map(place -> place.to(place.node.path(name.group())))
                        .toList();
            } else {
                require(at < text.length() && text.charAt(at) == '[', "no name here");
            }
            while (at < text.length() && text.charAt(at) == '[') {
                int end = text.indexOf(']', at);
                require(end > 0, "no ] here");
                String filter = text.substring(at + 1, end);
                places = places.stream()
                        .flatMap(place -> elements(place, filter).stream())
                        .toList();
                at = end + 1;
            }
        } while (isNext('.'));
        List<Sample> samples = new ArrayList<>();
        for (Place place : places) {
            require(place.node.isNumber(), "no number at " + text.substring(start, at) + " of " + from);
            samples.add(new Sample(place.key, place.node.asDouble(), place.isSteady));
        }
        return samples;
    }

    private List<Place> elements(Place place, String filter) {
        require(place.node.isArray(), "no list before [" + filter + "]");
        if (filter.matches("\\d+")) {
            return List.of(place.to(place.node.path(Integer.parseInt(filter))));
        }
        List<Condition> conditions = new ArrayList<>();
        for (String one : filter.isBlank() ? new String[0] : filter.split(",", -1)) {
            Matcher condition = CONDITION.matcher(one.strip());
            require(condition.matches(), "no condition: " + one);
            JsonPointer number = JsonPointer.compile("/" + condition.group(1).replace('.', '/'));
            conditions.add(
                    new Condition(number, condition.group(2), condition.group(3).strip()));
        }
        List<Place> elements = new ArrayList<>();
        for (JsonNode element : place.node) {
            if (conditions.stream().allMatch(condition -> condition.holds(element))) {
                elements.add(place.to(element));
            }
        }
        return elements;
    }

    /** A condition of a filter. */
    private record Condition(JsonPointer number, String operator, String value) {
        boolean holds(JsonNode element) {
            JsonNode node = element.at(number);
            return switch (operator) {
                case "=" -> node.asText().equals(value);
                case "!=" -> !node.asText().equals(value);
                case "<" -> node.asDouble() < Double.parseDouble(value);
                default -> node.asDouble() > Double.parseDouble(value);
            };
        }
    }

    private boolean isNext(char expected) {
        skipSpace();
        boolean isThere = at < text.length() && text.charAt(at) == expected;
        at += isThere ? 1 : 0;
        if (isThere) {
            skipSpace();
        }
        return isThere;
    }

    private void skipSpace() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private void require(boolean isRight, String problem) {
        if (!isRight) {
            throw wrong(problem);
        }
    }

    private IllegalArgumentException wrong(String problem) {
        return new IllegalArgumentException(problem + ": " + text + " (at " + at + ")");
    }
}
