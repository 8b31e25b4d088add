/** Plots, as SVG and PNG, and the pages that hold them. */
@NullMarked
package dev.blobshuffle.cli.chart;

import org.jspecify.annotations.NullMarked;
