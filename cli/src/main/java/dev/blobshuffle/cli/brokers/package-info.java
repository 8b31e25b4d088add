/** What commands that ask brokers have in common. */
@NullMarked
package dev.blobshuffle.cli.brokers;

import org.jspecify.annotations.NullMarked;
