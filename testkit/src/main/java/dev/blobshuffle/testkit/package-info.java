/** Published test support: store contract, fault injection, simulation. */
@NullMarked
package dev.blobshuffle.testkit;

import org.jspecify.annotations.NullMarked;
