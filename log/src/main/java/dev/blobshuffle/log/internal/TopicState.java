package dev.blobshuffle.log.internal;

/**
 * The start and end of a topic.
 *
 * @param topic the topic's number
 * @param start the first sequence after retention
 * @param next the sequence of the next batch
 * @param isStaged whether batches wait to be sequenced
 */
public record TopicState(int topic, long start, long next, boolean isStaged) {}
