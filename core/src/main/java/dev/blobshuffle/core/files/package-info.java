/** Files and directories that belong to one user: made private, and refused if others can read them. */
@NullMarked
package dev.blobshuffle.core.files;

import org.jspecify.annotations.NullMarked;
