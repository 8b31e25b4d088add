package dev.blobshuffle.flight.internal.client;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.failure.BlobMissing;
import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.failure.StoreUnavailable;
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
            case NOT_FOUND -> new BlobMissing(reason, cause);
            case DATA_LOSS -> new BlobCorrupt(reason, cause);
            case INVALID_ARGUMENT, UNAUTHENTICATED, PERMISSION_DENIED, FAILED_PRECONDITION, UNIMPLEMENTED ->
                new InvalidSettings(reason, cause);
            default ->
                new StoreUnavailable(
                        "Cannot " + what + ": " + reason + ". Check that the daemon runs, then retry.", cause);
        };
    }
}
