package dev.blobshuffle.core.store;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.text.EditDistance;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The parsed setting {@code blobshuffle.store}: {@code scheme://authority/path?name=value&…}.
 *
 * @param scheme the kind of store, lower case
 * @param authority the bucket, or the name; empty if there is none
 * @param path the path, decoded, with its leading slash; empty if there is none
 * @param parameters the options of the store, decoded
 */
public record StoreUri(String scheme, String authority, String path, Map<String, String> parameters) {
    /** Copies the parameters. */
    public StoreUri {
        parameters = Map.copyOf(parameters);
    }

    /**
     * Parses a URI.
     *
     * @throws InvalidSettingsException fatal: the text is not a URI of this form
     */
    public static StoreUri parse(String text) {
        if (text.startsWith("two-speed:")) {
            throw invalid("a single store is needed here, not one of two speeds");
        }
        URI uri;
        try {
            uri = new URI(text);
        } catch (URISyntaxException e) {
            String escape = e.getReason().startsWith("Illegal character")
                    ? ", write it as % and two hex digits, a space as %20"
                    : "";
            throw invalid("it is not a URI: " + e.getReason() + " at index " + e.getIndex() + escape);
        }
        if (uri.getScheme() == null || !text.startsWith(uri.getScheme() + "://")) {
            throw invalid("it has no scheme with ://");
        }
        if (uri.getFragment() != null) {
            throw invalid("it has a fragment (#)");
        }
        if (uri.getRawUserInfo() != null) {
            throw invalid("it holds credentials, which would be shown in logs");
        }
        return new StoreUri(
                uri.getScheme().toLowerCase(java.util.Locale.ROOT),
                uri.getRawAuthority() == null ? "" : uri.getRawAuthority(),
                uri.getPath() == null ? "" : uri.getPath(),
                parameters(uri.getRawQuery() == null ? "" : uri.getRawQuery()));
    }

    private static Map<String, String> parameters(String query) {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String pair : query.split("&", -1)) {
            if (pair.isEmpty()) {
                continue;
            }
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw invalid("a parameter is not of the form name=value");
            }
            String name = URLDecoder.decode(pair.substring(0, equals), StandardCharsets.UTF_8);
            String value = URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8);
            if (parameters.put(name, value) != null) {
                throw invalid("parameter '" + name + "' is given twice");
            }
        }
        return parameters;
    }

    /** The value of a parameter. */
    public Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    /**
     * Checks that the store knows every parameter.
     *
     * @throws InvalidSettingsException fatal: a parameter is unknown
     */
    public void requireKnown(List<StoreParameter> known) {
        List<String> names = known.stream().map(StoreParameter::name).toList();
        for (String name : parameters.keySet()) {
            if (!names.contains(name)) {
                throw new InvalidSettingsException("Cannot open store " + scheme + "://: it has no parameter '" + name
                        + "'. "
                        + names.stream()
                                .min(Comparator.comparingInt((String other) -> EditDistance.between(other, name))
                                        .thenComparing(Comparator.naturalOrder()))
                                .map(nearest -> "The nearest is '" + nearest + "'. ")
                                .orElse("")
                        + "Known parameters: "
                        + (names.isEmpty() ? "none" : String.join(", ", new TreeSet<>(names))) + ".");
            }
        }
    }

    /** The message does not repeat the URI, because a wrong URI may contain a secret. */
    private static InvalidSettingsException invalid(String reason) {
        return new InvalidSettingsException("Cannot use setting blobshuffle.store: " + reason
                + ". Give for example file:///var/lib/blobs or s3://bucket/prefix?region=eu-central-1.");
    }
}
