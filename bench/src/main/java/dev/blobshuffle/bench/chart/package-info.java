/** Plots, as SVG and PNG. */
@NullMarked
package dev.blobshuffle.bench.chart;

import org.jspecify.annotations.NullMarked;
