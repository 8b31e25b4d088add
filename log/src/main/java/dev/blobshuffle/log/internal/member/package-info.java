/** The instances of a zone find each other by their log. */
@NullMarked
package dev.blobshuffle.log.internal.member;

import org.jspecify.annotations.NullMarked;
