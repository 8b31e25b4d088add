package dev.blobshuffle.core.store;

/**
 * What a register held when it was read.
 *
 * @param version what the store calls this value; another value has another version
 * @param text the value
 */
public record Register(String version, String text) {}
