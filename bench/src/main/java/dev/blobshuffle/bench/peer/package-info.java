/**
 * What it costs a member of a zone to serve what it cached, beside the least that a server can do.
 */
@NullMarked
package dev.blobshuffle.bench.peer;

import org.jspecify.annotations.NullMarked;
