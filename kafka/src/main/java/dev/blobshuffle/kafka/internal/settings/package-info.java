/** The settings of the Kafka front doors, including Kafka Streams. */
@NullMarked
package dev.blobshuffle.kafka.internal.settings;

import org.jspecify.annotations.NullMarked;
