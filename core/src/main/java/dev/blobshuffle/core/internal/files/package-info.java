/** Private files and directories: created for one user, and refused if others can read them. */
@NullMarked
package dev.blobshuffle.core.internal.files;

import org.jspecify.annotations.NullMarked;
