package dev.blobshuffle.bench.soak;

/**
 * A table or an index at a moment.
 *
 * @param name in the log's schema
 * @param bytes on disk; for a table, including values that are stored outside its rows
 * @param dead rows that no transaction can see, as the statistics say; 0 for an index
 */
record Relation(String name, long bytes, long dead) {}
