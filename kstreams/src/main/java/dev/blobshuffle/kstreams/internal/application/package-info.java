/**
 * One Kafka Streams application that shuffles through blobs: its settings, what its instance opens,
 * and the check that its supplier is used. Start at
 * {@link dev.blobshuffle.kstreams.internal.application.ShuffledApplication}.
 */
@NullMarked
package dev.blobshuffle.kstreams.internal.application;

import org.jspecify.annotations.NullMarked;
