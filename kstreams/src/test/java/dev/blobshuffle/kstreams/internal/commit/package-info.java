/** Tests of how processors take part in commits. */
@NullMarked
package dev.blobshuffle.kstreams.internal.commit;

import org.jspecify.annotations.NullMarked;
