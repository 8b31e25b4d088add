/**
 * The command {@code blobshuffle doctor}: whether a store, the brokers and an application's
 * settings will do.
 */
@NullMarked
package dev.blobshuffle.cli.doctor;

import org.jspecify.annotations.NullMarked;
