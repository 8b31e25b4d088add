/**
 * The command {@code blobshuffle doctor}: checks a store, the brokers and an application's
 * settings.
 */
@NullMarked
package dev.blobshuffle.cli.doctor;

import org.jspecify.annotations.NullMarked;
