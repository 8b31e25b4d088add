/** The cost for a member of a zone to serve its cached bytes, beside that of a minimal server. */
@NullMarked
package dev.blobshuffle.bench.peer;

import org.jspecify.annotations.NullMarked;
