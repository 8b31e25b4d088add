package dev.blobshuffle.flightdaemon.internal.server.call;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException;
import io.grpc.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Maps failures to gRPC statuses. Stateless. */
public final class Statuses {
    private static final Logger LOG = LoggerFactory.getLogger(Statuses.class);

    private Statuses() {}

    /** The status of a failure. Its message contains no secret, so the client gets it. */
    public static Status of(Throwable failure) {
        if (failure instanceof RefusedException refused) {
            return code(refused.reason()).withDescription(refused.getMessage());
        }
        if (failure instanceof BlobMissingException) {
            return Status.NOT_FOUND.withDescription(failure.getMessage());
        }
        if (failure instanceof BlobCorruptException damage) {
            FailureMessages.warn(damage);
            return Status.DATA_LOSS.withDescription(failure.getMessage());
        }
        if (failure instanceof StoreUnavailableException unavailable) {
            FailureMessages.warn(unavailable);
            return Status.UNAVAILABLE.withDescription(failure.getMessage());
        }
        if (failure instanceof ClosedException) {
            return Status.UNAVAILABLE.withDescription(FailureMessages.ENDS);
        }
        if (failure instanceof IllegalArgumentException) {
            return Status.INVALID_ARGUMENT.withDescription(failure.getMessage());
        }
        LOG.error("A call failed.", failure);
        return Status.INTERNAL.withDescription(FailureMessages.FAILED);
    }

    private static Status code(RefusedException.Reason reason) {
        return switch (reason) {
            case INVALID -> Status.INVALID_ARGUMENT;
            case UNAUTHENTICATED -> Status.UNAUTHENTICATED;
            case FORBIDDEN -> Status.PERMISSION_DENIED;
            case UNKNOWN -> Status.NOT_FOUND;
            case INCOMPLETE -> Status.FAILED_PRECONDITION;
            case EXHAUSTED -> Status.RESOURCE_EXHAUSTED;
            // Clients may retry this status; pyarrow shows the others as bad input.
            case BUSY -> Status.UNAVAILABLE;
        };
    }
}
