package dev.blobshuffle.cli.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.DeliveryFailed;
import dev.blobshuffle.log.failure.BlobExpired;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class LogOptionsTest {
    @Test
    void aFailureIsPrintedWithWhatLedToIt() {
        BlobExpired expired = new BlobExpired(
                "Cannot publish: a blob is too old. Check the clock.", new SQLException("a detail of the driver"));
        DeliveryFailed delivery = new DeliveryFailed("Cannot deliver 3 records: the channel failed.", expired);
        RuntimeException command =
                new IllegalStateException(delivery.getMessage() + " 0 of 3 are in the log.", delivery);

        assertThat(LogOptions.reasons(command))
                .containsExactly(
                        "Cannot deliver 3 records: the channel failed. 0 of 3 are in the log.",
                        "Reason: Cannot publish: a blob is too old. Check the clock.");
    }
}
