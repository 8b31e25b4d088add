/**
 * A commit log in memory, for simulations and tests, and the rules that every commit log keeps: the
 * abstract contract tests.
 */
@NullMarked
package dev.blobshuffle.testkit.internal.log;

import org.jspecify.annotations.NullMarked;
