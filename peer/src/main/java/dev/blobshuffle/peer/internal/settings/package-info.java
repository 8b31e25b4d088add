/**
 * The settings of a member that asks and serves others.
 */
@NullMarked
package dev.blobshuffle.peer.internal.settings;

import org.jspecify.annotations.NullMarked;
