package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.store.StoreUri;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Stores within stores: an engine keeps its blobs where no sweep of another one lists them. */
public final class StorePlaces {
    private static final String MEMORY = "memory";

    private StorePlaces() {}

    /**
     * The URI of a store below another one.
     *
     * @param uri of the store that the user named
     * @param place the last part of its path
     */
    public static String below(String uri, String place) {
        int query = uri.indexOf('?');
        String path = query < 0 ? uri : uri.substring(0, query);
        String rest = query < 0 ? "" : uri.substring(query);
        if (StoreUri.parse(uri).scheme().equals(MEMORY)) {
            return path + "." + place + rest;
        }
        return Arrays.stream(path.split(",", -1))
                        .map(each -> (each.endsWith("/") ? each : each + "/") + place)
                        .collect(Collectors.joining(","))
                + rest;
    }
}
