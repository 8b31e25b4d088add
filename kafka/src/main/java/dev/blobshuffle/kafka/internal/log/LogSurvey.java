package dev.blobshuffle.kafka.internal.log;

import dev.blobshuffle.core.internal.retention.NotificationLogs.Term;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * The state of partitions at one moment.
 *
 * @param terms of the partitions whose leader answered
 * @param ends the high watermarks of these partitions
 * @param leaders the nodes that lead partitions
 * @param doubts reasons why a partition may get records that its present leader does not have
 */
record LogSurvey(
        Map<TopicPartition, Term> terms,
        Map<TopicPartition, Long> ends,
        Map<TopicPartition, Integer> leaders,
        Map<TopicPartition, String> doubts) {
    LogSurvey {
        terms = Map.copyOf(terms);
        ends = Map.copyOf(ends);
        leaders = Map.copyOf(leaders);
        doubts = Map.copyOf(doubts);
    }

    Optional<Term> term(TopicPartition partition) {
        return Optional.ofNullable(terms.get(partition));
    }

    Optional<String> doubt(TopicPartition partition) {
        return Optional.ofNullable(doubts.get(partition));
    }

    /** All partitions of the topics. */
    Set<TopicPartition> partitions() {
        Set<TopicPartition> partitions = new HashSet<>(terms.keySet());
        partitions.addAll(doubts.keySet());
        return partitions;
    }

    /** The leader epochs of the partitions without doubt. */
    Map<TopicPartition, Integer> settledEpochs() {
        Map<TopicPartition, Integer> epochs = new HashMap<>();
        terms.forEach((partition, term) -> epochs.put(partition, term.leadership()));
        epochs.keySet().removeAll(doubts.keySet());
        return epochs;
    }

    /**
     * The reason why the content of a partition between two surveys is uncertain; empty if it is
     * known.
     */
    Optional<String> doubtSince(LogSurvey earlier, TopicPartition partition) {
        return doubt(partition)
                .or(() -> earlier.term(partition).equals(term(partition))
                        ? Optional.empty()
                        : Optional.of("its leader, or its topic, changed while it was read"));
    }
}
