package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.store.StoreUri;

/**
 * The URI of a {@link TwoSpeedBlobStore}: {@code two-speed:fast=URI,durable=URI}, in either order.
 * A URI may contain commas.
 *
 * @param fast the URI of the fast store
 * @param durable the URI of the durable store
 */
public record TwoSpeedUri(String fast, String durable) {
    private static final String SCHEME = "two-speed:";
    private static final String FAST = "fast=";
    private static final String DURABLE = "durable=";
    private static final String EXAMPLE =
            " Give two-speed:fast=s3://bucket--euc1-az1--x-s3?region=…,durable=s3://bucket?region=…";

    /** Checks that both are URIs of different places. */
    public TwoSpeedUri {
        StoreUri copies = half("fast", fast);
        StoreUri blobs = half("durable", durable);
        if (place(copies).equals(place(blobs))) {
            throw invalid("both stores are the same place. Two copies in one store are lost together.");
        }
    }

    /** Whether a text is meant as the URI of a store of two speeds. */
    public static boolean isMeant(String uri) {
        return uri.startsWith(SCHEME);
    }

    /**
     * Parses a URI.
     *
     * @throws InvalidSettingsException fatal: a store is missing or malformed, or both are one
     */
    public static TwoSpeedUri parse(String uri) {
        String rest = uri.substring(SCHEME.length());
        if (rest.startsWith(FAST)) {
            return split(rest, FAST, DURABLE, true);
        }
        if (rest.startsWith(DURABLE)) {
            return split(rest, DURABLE, FAST, false);
        }
        throw invalid("it begins with neither fast= nor durable=.");
    }

    private static TwoSpeedUri split(String rest, String first, String second, boolean isFastFirst) {
        int comma = rest.indexOf("," + second);
        if (comma < 0) {
            throw invalid("it has no " + second + ". A store of two speeds needs both.");
        }
        String one = rest.substring(first.length(), comma);
        String other = rest.substring(comma + 1 + second.length());
        if (isFastFirst) {
            return new TwoSpeedUri(one, other);
        }
        return new TwoSpeedUri(other, one);
    }

    private static StoreUri half(String name, String uri) {
        if (isMeant(uri)) {
            throw invalid("its " + name + " store has two speeds itself. Name a store of one speed.");
        }
        try {
            return StoreUri.parse(uri);
        } catch (InvalidSettingsException e) {
            throw new InvalidSettingsException("The " + name + " store of two speeds: " + e.getMessage(), e);
        }
    }

    private static String place(StoreUri uri) {
        String path =
                uri.path().endsWith("/") ? uri.path().substring(0, uri.path().length() - 1) : uri.path();
        return uri.scheme() + "://" + uri.authority() + path
                + uri.parameter("endpoint").map(endpoint -> "?" + endpoint).orElse("");
    }

    /** The location of a store of two speeds, for messages. */
    static String location(String fast, String durable) {
        return SCHEME + FAST + fast + "," + DURABLE + durable;
    }

    /** The message does not repeat the URI, because a wrong URI may contain a secret. */
    private static InvalidSettingsException invalid(String reason) {
        return new InvalidSettingsException("Cannot use setting blobshuffle.store: " + reason + EXAMPLE);
    }
}
