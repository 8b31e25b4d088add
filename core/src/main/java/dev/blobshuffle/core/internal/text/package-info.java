/** How alike two words are, for messages that name the setting that was meant. */
@NullMarked
package dev.blobshuffle.core.internal.text;

import org.jspecify.annotations.NullMarked;
