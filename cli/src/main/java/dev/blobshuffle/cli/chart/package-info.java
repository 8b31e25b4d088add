/** Plots as SVG and PNG, and HTML pages that contain them. */
@NullMarked
package dev.blobshuffle.cli.chart;

import org.jspecify.annotations.NullMarked;
