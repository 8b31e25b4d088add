package dev.blobshuffle.bench.planted;

import dev.blobshuffle.bench.planted.inner.Inner;

/** One half of a cycle between a package and one below it, which the rule about cycles must see. */
public record Outer(Inner inner) {}
