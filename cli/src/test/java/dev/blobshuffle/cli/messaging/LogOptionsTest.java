package dev.blobshuffle.cli.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.log.failure.BlobExpiredException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class LogOptionsTest {
    @Test
    void aFailureIsPrintedWithWhatLedToIt() {
        BlobExpiredException expired = new BlobExpiredException(
                "Cannot publish: a blob is too old. Check the clock.", new SQLException("a detail of the driver"));
        DeliveryFailedException delivery =
                new DeliveryFailedException("Cannot deliver 3 records: the channel failed.", expired);
        RuntimeException command =
                new IllegalStateException(delivery.getMessage() + " 0 of 3 are in the log.", delivery);

        assertThat(LogOptions.reasons(command))
                .containsExactly(
                        "Cannot deliver 3 records: the channel failed. 0 of 3 are in the log.",
                        "Reason: Cannot publish: a blob is too old. Check the clock.");
    }
}
