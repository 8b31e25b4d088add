package dev.blobshuffle.bench.planted.inner;

import dev.blobshuffle.bench.planted.Outer;

/** The other half. */
public record Inner(Outer outer) {}
