/** The engine: records to blobs and notifications (Batcher), and back, in order (Debatcher). */
@NullMarked
package dev.blobshuffle.core.shuffle;

import org.jspecify.annotations.NullMarked;
