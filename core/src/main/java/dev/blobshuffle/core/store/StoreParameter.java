package dev.blobshuffle.core.store;

/**
 * A parameter of a store's URI, as users see it in the settings reference.
 *
 * @param name as in the URI's query
 * @param defaultText what holds without it
 * @param doc what it does, and which values it takes
 */
public record StoreParameter(String name, String defaultText, String doc) {}
