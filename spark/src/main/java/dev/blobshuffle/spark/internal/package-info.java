/** The classes that Spark loads: the shuffle manager, its data I/O, and the plug-in's two sides. */
@NullMarked
package dev.blobshuffle.spark.internal;

import org.jspecify.annotations.NullMarked;
