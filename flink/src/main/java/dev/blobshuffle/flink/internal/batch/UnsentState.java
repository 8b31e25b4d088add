package dev.blobshuffle.flink.internal.batch;

import dev.blobshuffle.flink.internal.pending.PendingGroup;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The state of a Batcher at a barrier. Flink takes it at once, and writes it on a thread of the
 * checkpoint, which waits until it is known.
 *
 * @param groups waits; fails if it will never be known
 */
record UnsentState(Callable<List<PendingGroup>> groups) {}
