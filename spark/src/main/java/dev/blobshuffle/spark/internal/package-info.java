/** What Spark loads: the shuffle manager, its data I/O, and the two sides of the plug-in. */
@NullMarked
package dev.blobshuffle.spark.internal;

import org.jspecify.annotations.NullMarked;
