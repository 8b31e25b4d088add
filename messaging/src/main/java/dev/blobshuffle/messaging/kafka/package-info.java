/**
 * Kafka's serdes for messaging. Needs kafka-clients on the class path.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.messaging.kafka;

import org.jspecify.annotations.NullMarked;
