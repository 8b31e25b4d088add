package dev.blobshuffle.kstreams;

import java.util.Map;
import java.util.zip.CRC32;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.common.Cluster;

/**
 * An application's own partitioner, with a hash other than Kafka's, as in clients of other
 * languages.
 */
public final class ChecksumPartitioner implements Partitioner {
    @Override
    public void configure(Map<String, ?> settings) {}

    @Override
    public int partition(String topic, Object key, byte[] bytes, Object value, byte[] valueBytes, Cluster cluster) {
        return of(bytes, cluster.partitionCountForTopic(topic));
    }

    static int of(byte[] key, int partitions) {
        CRC32 checksum = new CRC32();
        checksum.update(key);
        return (int) (checksum.getValue() % partitions);
    }

    @Override
    public void close() {}
}
