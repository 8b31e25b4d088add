/**
 * Connects our processors to the commits of Kafka Streams. This is the only package that uses Kafka
 * Streams' internal classes. Not for applications.
 */
@NullMarked
package dev.blobshuffle.kstreams.internal.commit;

import org.jspecify.annotations.NullMarked;
