package dev.blobshuffle.bench.soak;

/**
 * A table or an index at a moment.
 *
 * @param name in the log's schema
 * @param bytes on disk; of a table with what is stored apart from its rows
 * @param dead rows that no transaction can see, as the statistics say; 0 for an index
 */
record Relation(String name, long bytes, long dead) {}
