@NullMarked
package dev.blobshuffle.kstreams.keyparallel;

import org.jspecify.annotations.NullMarked;
