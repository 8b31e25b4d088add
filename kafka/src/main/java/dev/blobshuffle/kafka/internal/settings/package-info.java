/** The settings of Kafka's front doors, those of Kafka Streams included. */
@NullMarked
package dev.blobshuffle.kafka.internal.settings;

import org.jspecify.annotations.NullMarked;
