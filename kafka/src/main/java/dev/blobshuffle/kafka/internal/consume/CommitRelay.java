package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import dev.blobshuffle.kafka.internal.position.CommitTranslation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The real consumer's interceptor: passes each commit to the application's interceptors when the
 * real consumer learns of it. A callback of the commit would be later, and is not called at all if
 * the answer arrives while the consumer closes. Public, because the real consumer makes it. Owned
 * by the consumer's thread.
 */
public final class CommitRelay implements ConsumerInterceptor<byte[], byte[]> {
    private static final String TARGET = "__commit.relay__";

    private @Nullable Target target;

    /** Adds a relay to the settings of a real consumer, if the application has interceptors. */
    static void addTo(Map<String, Object> real, ConsumerInterceptorChain<?, ?> interceptors, TopicMatcher topics) {
        if (!interceptors.isEmpty()) {
            real.put(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG, List.of(CommitRelay.class));
            real.put(TARGET, new Target(interceptors, topics));
        }
    }

    @Override
    public void configure(Map<String, ?> settings) {
        target = (Target) settings.get(TARGET);
    }

    @Override
    public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
        return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        if (target != null) {
            target.committed(offsets);
        }
    }

    @Override
    public void close() {}

    private record Target(ConsumerInterceptorChain<?, ?> interceptors, TopicMatcher topics) {
        void committed(Map<TopicPartition, OffsetAndMetadata> real) {
            Map<TopicPartition, OffsetAndMetadata> shown = new HashMap<>(real);
            shown.replaceAll((partition, commit) ->
                    topics.matches(partition.topic()) ? CommitTranslation.toVirtual(commit) : commit);
            interceptors.onCommit(shown);
        }
    }
}
