/**
 * What producers and consumers share: settings, the instance of a process, topics and how a client
 * is opened. Start at {@link dev.blobshuffle.kafka.internal.client.ClientOpening}.
 */
@NullMarked
package dev.blobshuffle.kafka.internal.client;

import org.jspecify.annotations.NullMarked;
