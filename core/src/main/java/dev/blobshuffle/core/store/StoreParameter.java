package dev.blobshuffle.core.store;

/**
 * A parameter of a store's URI, as users see it in the settings reference.
 *
 * @param name as in the URI's query
 * @param defaultText the default
 * @param doc what the parameter does, and its valid values
 */
public record StoreParameter(String name, String defaultText, String doc) {}
