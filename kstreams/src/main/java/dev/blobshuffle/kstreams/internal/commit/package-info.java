/**
 * How processors of ours take part in the commits of Kafka Streams, and the only place that knows
 * Kafka Streams' internal classes. Not for applications.
 */
@NullMarked
package dev.blobshuffle.kstreams.internal.commit;

import org.jspecify.annotations.NullMarked;
