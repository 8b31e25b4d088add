/** Tests of how processors take part in commits. */
@NullMarked
package dev.blobshuffle.kstreams.commit;

import org.jspecify.annotations.NullMarked;
