package dev.blobshuffle.log.internal;

import java.util.Optional;

/**
 * The writer of a batch, and its description of the batch.
 *
 * @param id of the batch
 * @param writer its name; empty: the outbox
 * @param bytes the size of its records
 * @param latest the largest timestamp of its records, milliseconds since the Unix epoch
 */
public record BatchOrigin(long id, Optional<String> writer, long bytes, long latest) {}
