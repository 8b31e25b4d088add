/**
 * What producers and consumers share: settings, the instance of a process, topics and how a client
 * is opened. Start at {@link dev.blobshuffle.kafka.client.ClientOpening}.
 */
@NullMarked
package dev.blobshuffle.kafka.client;

import org.jspecify.annotations.NullMarked;
