package dev.blobshuffle.flight.internal.client;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GrpcReleaseTest {
    @Test
    void theBuildHasOneRelease() {
        assertThatCode(GrpcRelease::check).doesNotThrowAnyException();
    }

    /**
     * Together with arrow-java's grpc-core, the first call would fail because a method is missing.
     */
    @Test
    void twoReleasesAreRefused() {
        assertThatThrownBy(() -> GrpcRelease.check(Optional.of("1.82.2"), Optional.of("1.79.0")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("Cannot use gRPC: grpc-netty-shaded is of release 1.82.2, grpc-core of 1.79.0."
                        + " Give all of gRPC one release: import io.grpc:grpc-bom in the newer of the two.");
    }

    @Test
    void whatIsNotKnownIsNotRefused() {
        assertThatCode(() -> GrpcRelease.check(Optional.empty(), Optional.of("1.79.0")))
                .doesNotThrowAnyException();
        assertThatCode(() -> GrpcRelease.check(Optional.of("1.82.2"), Optional.empty()))
                .doesNotThrowAnyException();
    }
}
