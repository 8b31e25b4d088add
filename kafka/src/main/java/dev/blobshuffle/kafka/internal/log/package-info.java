/**
 * Topics as logs of notifications: how a notification lies in a record, and how logs are read
 * whole.
 */
@NullMarked
package dev.blobshuffle.kafka.internal.log;

import org.jspecify.annotations.NullMarked;
