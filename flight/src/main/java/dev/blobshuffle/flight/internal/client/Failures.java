package dev.blobshuffle.flight.internal.client;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import io.grpc.Status;
import java.util.Optional;

/** Maps the daemon's gRPC statuses to exceptions. Stateless. */
final class Failures {
    private Failures() {}

    static RuntimeException of(Status status, String what) {
        String reason = Optional.ofNullable(status.getDescription())
                .orElse(status.getCode().name());
        Throwable cause = status.asRuntimeException();
        return switch (status.getCode()) {
            case NOT_FOUND -> new BlobMissingException(reason, cause);
            case DATA_LOSS -> new BlobCorruptException(reason, cause);
            case INVALID_ARGUMENT, UNAUTHENTICATED, PERMISSION_DENIED, FAILED_PRECONDITION, UNIMPLEMENTED ->
                new InvalidSettingsException(reason, cause);
            default ->
                new StoreUnavailableException(
                        "Cannot " + what + ": " + reason + ". Check that the daemon runs, then retry.", cause);
        };
    }
}
