/** Lists directories that a test shares with the code under test. */
@NullMarked
package dev.blobshuffle.testkit.internal.files;

import org.jspecify.annotations.NullMarked;
