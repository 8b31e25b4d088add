package dev.blobshuffle.core.internal.store.opening;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.store.StoreHalves.Announcing;
import dev.blobshuffle.core.store.StoreUri;
import java.util.Locale;

/**
 * The URI of a {@link TwoSpeedBlobStore}: {@code two-speed:fast=URI,durable=URI}, in either order.
 * A URI may contain commas. {@code announce=durable} or {@code announce=early} may come before
 * both.
 *
 * @param fast the URI of the fast store
 * @param durable the URI of the durable store
 * @param announcing when blobs are announced
 */
public record TwoSpeedUri(String fast, String durable, Announcing announcing) {
    private static final String SCHEME = "two-speed:";
    private static final String ANNOUNCE = "announce=";
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
        if (!rest.startsWith(ANNOUNCE)) {
            return halves(rest, Announcing.EARLY);
        }
        int comma = rest.indexOf(',');
        String when = comma < 0 ? "" : rest.substring(ANNOUNCE.length(), comma);
        for (Announcing announcing : Announcing.values()) {
            if (announcing.name().toLowerCase(Locale.ROOT).equals(when)) {
                return halves(rest.substring(comma + 1), announcing);
            }
        }
        throw invalid("announce= is neither early nor durable, or no store follows it.");
    }

    private static TwoSpeedUri halves(String rest, Announcing announcing) {
        if (rest.startsWith(FAST)) {
            return split(rest, FAST, DURABLE, announcing);
        }
        if (rest.startsWith(DURABLE)) {
            TwoSpeedUri swapped = split(rest, DURABLE, FAST, announcing);
            return new TwoSpeedUri(swapped.durable(), swapped.fast(), announcing);
        }
        throw invalid("it names neither fast= nor durable= first, or after announce=.");
    }

    private static TwoSpeedUri split(String rest, String first, String second, Announcing announcing) {
        int comma = rest.indexOf("," + second);
        if (comma < 0) {
            throw invalid("it has no " + second + ". A store of two speeds needs both.");
        }
        String one = rest.substring(first.length(), comma);
        String other = rest.substring(comma + 1 + second.length());
        return new TwoSpeedUri(one, other, announcing);
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
