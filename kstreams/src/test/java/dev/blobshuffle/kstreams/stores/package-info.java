/** Applications over object stores: real servers, and one that fails. */
@NullMarked
package dev.blobshuffle.kstreams.stores;

import org.jspecify.annotations.NullMarked;
