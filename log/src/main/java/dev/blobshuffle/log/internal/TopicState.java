package dev.blobshuffle.log.internal;

/**
 * Where a topic begins and ends.
 *
 * @param topic the topic's number
 * @param start the first sequence that retention has left
 * @param next the sequence that the next batch will have
 * @param isStaged whether batches wait to be sequenced
 */
public record TopicState(int topic, long start, long next, boolean isStaged) {}
