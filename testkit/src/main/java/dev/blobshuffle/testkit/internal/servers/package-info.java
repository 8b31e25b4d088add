/** Real object stores for tests, each a process beside the JVM. */
@NullMarked
package dev.blobshuffle.testkit.internal.servers;

import org.jspecify.annotations.NullMarked;
