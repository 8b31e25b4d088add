/** Results: statistics, tables, JSON, CSV and HTML, and the comparison of two results. */
@NullMarked
package dev.blobshuffle.bench.report;

import org.jspecify.annotations.NullMarked;
