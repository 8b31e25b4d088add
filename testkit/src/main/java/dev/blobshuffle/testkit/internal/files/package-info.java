/** Looks at directories that a test shares with what it tests. */
@NullMarked
package dev.blobshuffle.testkit.internal.files;

import org.jspecify.annotations.NullMarked;
