/** The instances of a zone find each other by their log. */
@NullMarked
package dev.blobshuffle.core.internal.log.member;

import org.jspecify.annotations.NullMarked;
