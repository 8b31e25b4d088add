/** Opens messaging: its settings and its instance. */
@NullMarked
package dev.blobshuffle.messaging.internal;

import org.jspecify.annotations.NullMarked;
