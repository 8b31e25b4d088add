package dev.blobshuffle.kafka.internal.produce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.kafka.internal.client.ClientPair;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;

class LaneFailuresTest {
    private final ClientPair pair = ClientPair.alone();
    private final LaneFailures failures = new LaneFailures(pair);

    @Test
    void lostBatchRollsBackAndNeverLooksRetriable() {
        RuntimeException failure = new StoreUnavailableException("Cannot put.", new TimeoutException("slow"));
        KafkaException onSend = failures.onSend(failure);

        assertThat(onSend)
                .hasCauseInstanceOf(InvalidProducerEpochException.class)
                .isNotInstanceOf(RetriableException.class);
        assertThat(onSend.getCause().getCause()).isSameAs(failure);
        assertThat(failures.onCommit(failure))
                .isInstanceOf(CommitFailedException.class)
                .hasCause(failure);
    }

    @Test
    void kafkasOwnReasonIsPassedOn() {
        assertThat(failures.onCommit(new DeliveryFailedException("Lost.", new ProducerFencedException("newer"))))
                .isInstanceOf(ProducerFencedException.class);
        assertThat(failures.onCommit(new DeliveryFailedException("Lost.", new InvalidProducerEpochException("old"))))
                .isInstanceOf(CommitFailedException.class);
        assertThat(failures.onSend(new DeliveryFailedException("Lost.", new TopicAuthorizationException("topic"))))
                .hasCauseInstanceOf(TopicAuthorizationException.class);
    }

    @Test
    void brokenSequenceRollsBackAsFromACallback() {
        assertThat(failures.onSend(new DeliveryFailedException("Lost.", new OutOfOrderSequenceException("gap"))))
                .hasCauseInstanceOf(InvalidProducerEpochException.class);
    }

    @Test
    void threadEndsAfterTooManyLossesInARow() {
        RuntimeException failure = new StoreUnavailableException("Cannot put.");
        for (int loss = 0; loss < LaneFailures.MOST_IN_A_ROW; loss++) {
            assertThat(failures.onCommit(failure)).isInstanceOf(CommitFailedException.class);
            failures.reset();
        }
        assertThat(failures.onCommit(failure)).isExactlyInstanceOf(KafkaException.class);
    }

    @Test
    void aCommitStartsTheCountAnew() {
        RuntimeException failure = new StoreUnavailableException("Cannot put.");
        for (int loss = 0; loss < 3 * LaneFailures.MOST_IN_A_ROW; loss++) {
            assertThat(failures.onCommit(failure)).isInstanceOf(CommitFailedException.class);
            failures.reset();
            pair.committed();
        }
    }
}
