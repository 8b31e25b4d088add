package dev.blobshuffle.kstreams.operator;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.DeadlineExceededException;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.store.BlobId;
import org.junit.jupiter.api.Test;

class BatcherProcessorTest {
    /**
     * The process was suspended between the lane and the sink: the blob may be gone when the
     * notification becomes visible.
     */
    @Test
    void notificationThatIsTooOldIsNotForwarded() {
        assertThatThrownBy(() -> BatcherProcessor.requireInTime(stored(true)))
                .isInstanceOf(DeadlineExceededException.class)
                .hasMessageContaining("a sweep may delete blob");
        assertThatCode(() -> BatcherProcessor.requireInTime(stored(false))).doesNotThrowAnyException();
    }

    private static Arrivals.Stored stored(boolean isTooLate) {
        Notification notification = new Notification(new BlobId(1, 2, 3), 4711, 0, 100, 0, 100, 5, Codec.NONE, 0);
        return new Arrivals.Stored(0, notification, 0, new Channel.Delivery() {
            @Override
            public void delivered() {}

            @Override
            public void failed(Throwable cause) {}

            @Override
            public boolean isTooLate() {
                return isTooLate;
            }
        });
    }
}
