/** Lets the instances of a zone find each other through their log. */
@NullMarked
package dev.blobshuffle.log.internal.member;

import org.jspecify.annotations.NullMarked;
