/**
 * The load that a number of instances carries: the search of Theodolite, its files and its
 * Kubernetes resources.
 */
@NullMarked
package dev.blobshuffle.bench.search;

import org.jspecify.annotations.NullMarked;
