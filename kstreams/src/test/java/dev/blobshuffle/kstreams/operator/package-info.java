/** Tests of the explicit operators. */
@NullMarked
package dev.blobshuffle.kstreams.operator;

import org.jspecify.annotations.NullMarked;
