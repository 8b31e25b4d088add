/**
 * Topics as logs of notifications: the notification as a Kafka record, and complete reads of logs.
 */
@NullMarked
package dev.blobshuffle.kafka.internal.log;

import org.jspecify.annotations.NullMarked;
