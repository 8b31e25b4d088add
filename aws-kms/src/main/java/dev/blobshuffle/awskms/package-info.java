/** Encryption keys that AWS Key Management Service unwraps. */
@NullMarked
package dev.blobshuffle.awskms;

import org.jspecify.annotations.NullMarked;
