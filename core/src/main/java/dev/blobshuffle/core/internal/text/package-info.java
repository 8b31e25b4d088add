/** Similarity of words, for messages that suggest the intended name of a setting. */
@NullMarked
package dev.blobshuffle.core.internal.text;

import org.jspecify.annotations.NullMarked;
