/** The topics and consumer groups of a log, by name. */
@NullMarked
package dev.blobshuffle.messaging.internal.topic;

import org.jspecify.annotations.NullMarked;
