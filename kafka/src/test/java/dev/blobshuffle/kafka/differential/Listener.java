package dev.blobshuffle.kafka.differential;

import java.util.Collection;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;

/** A rebalance listener that calls its consumer, as those of applications do. */
record Listener(Consumer<byte[], byte[]> member, Setup.Listening listening) implements ConsumerRebalanceListener {
    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
        switch (listening) {
            case SEEKS -> member.seekToBeginning(assigned);
            case PAUSES -> member.pause(assigned);
            case COMMITS, NONE -> {}
        }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
        if (listening == Setup.Listening.COMMITS) {
            member.commitSync();
        }
    }
}
