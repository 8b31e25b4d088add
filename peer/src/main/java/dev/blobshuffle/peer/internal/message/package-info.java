/**
 * What members ask each other, as the asker writes it and the server reads it.
 */
@NullMarked
package dev.blobshuffle.peer.internal.message;

import org.jspecify.annotations.NullMarked;
