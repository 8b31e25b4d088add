package dev.blobshuffle.http.internal;

import org.jspecify.annotations.Nullable;

/**
 * An unsuccessful answer of a store.
 *
 * @param status the HTTP status
 * @param code the store's own error code; empty if it sent none
 * @param cause the client's exception; null if the client threw none
 */
public record HttpAnswer(int status, String code, @Nullable Throwable cause) {}
