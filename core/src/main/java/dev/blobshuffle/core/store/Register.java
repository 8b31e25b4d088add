package dev.blobshuffle.core.store;

/**
 * The value of a register at the time of a read.
 *
 * @param version the store's version of this value; another value has another version
 * @param text the value
 */
public record Register(String version, String text) {}
