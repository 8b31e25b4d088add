/** Plots as SVG, and reports of one HTML page that needs nothing else: no script, no style sheet, no network. */
@NullMarked
package dev.blobshuffle.cli.chart;

import org.jspecify.annotations.NullMarked;
