/** Settings as data: names, types, defaults, checks and their documentation. */
@NullMarked
package dev.blobshuffle.core.internal.settings;

import org.jspecify.annotations.NullMarked;
