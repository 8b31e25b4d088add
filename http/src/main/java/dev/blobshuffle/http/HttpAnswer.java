package dev.blobshuffle.http;

import org.jspecify.annotations.Nullable;

/**
 * An answer of a store that is no success.
 *
 * @param status the HTTP status
 * @param code the store's own code for it; empty if it gave none
 * @param cause the client's exception; null if the client threw none
 */
public record HttpAnswer(int status, String code, @Nullable Throwable cause) {}
