/**
 * One Kafka Streams application that shuffles through blobs: its settings, its instance's
 * resources, and the check that its supplier is in use. Start at
 * {@link dev.blobshuffle.kstreams.internal.application.ShuffledApplication}.
 */
@NullMarked
package dev.blobshuffle.kstreams.internal.application;

import org.jspecify.annotations.NullMarked;
