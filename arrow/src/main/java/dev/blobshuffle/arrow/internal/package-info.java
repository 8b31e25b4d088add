/** Codecs of Arrow bodies for the memory of arrow-java. */
@NullMarked
package dev.blobshuffle.arrow.internal;

import org.jspecify.annotations.NullMarked;
