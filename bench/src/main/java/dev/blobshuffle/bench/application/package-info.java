/** The main classes of instances and load generators, which are processes of their own. */
@NullMarked
package dev.blobshuffle.bench.application;

import org.jspecify.annotations.NullMarked;
