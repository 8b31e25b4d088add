package dev.blobshuffle.flightdaemon.internal.server.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.flightdaemon.internal.server.CapturedLog;
import dev.blobshuffle.flightdaemon.internal.server.http.HttpAnswer;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpResponseStatus;
import org.junit.jupiter.api.Test;

/** Checks how failures appear to clients and in the log. */
class StatusesTest {
    @Test
    void aCallThatMeetsTheEndOfTheDaemonCanBeRepeatedAndIsNotLogged() {
        ClosedException closed = new ClosedException("Cannot run a task: the workers 'blobshuffle-flight' are closed.");
        try (CapturedLog log = new CapturedLog()) {
            Status status = Statuses.of(closed);
            assertThat(status.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(status.getDescription()).contains("the daemon ends");
            assertThat(HttpAnswer.of(closed).status()).isEqualTo(HttpResponseStatus.SERVICE_UNAVAILABLE);
            assertThat(log.with("Closed")).isEmpty();
        }
    }

    @Test
    void aDefectIsLoggedAndNotShownToTheClient() {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(Statuses.of(new IllegalStateException("a secret")).getDescription())
                    .doesNotContain("secret");
            assertThat(log.with("a secret")).isNotEmpty();
        }
    }
}
