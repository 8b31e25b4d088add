/**
 * The parts that producers and consumers share: settings, the engines of the process, topics and
 * the steps of opening a client. Start at
 * {@link dev.blobshuffle.kafka.internal.client.ClientOpening}.
 */
@NullMarked
package dev.blobshuffle.kafka.internal.client;

import org.jspecify.annotations.NullMarked;
