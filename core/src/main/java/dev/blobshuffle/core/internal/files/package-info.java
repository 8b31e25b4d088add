/**
 * Private files and directories. They are created for one user, and refused if others can read
 * them.
 */
@NullMarked
package dev.blobshuffle.core.internal.files;

import org.jspecify.annotations.NullMarked;
