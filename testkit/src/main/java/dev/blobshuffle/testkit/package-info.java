/** Test support: the contract of a store, real servers, and simulated shuffles. */
@NullMarked
package dev.blobshuffle.testkit;

import org.jspecify.annotations.NullMarked;
