package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.log.failure.BlobExpiredException;
import dev.blobshuffle.log.failure.ConsumerFencedException;
import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.postgresql.internal.connection.DatabaseFailures;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLWarning;
import org.postgresql.util.ServerErrorMessage;

/** Translates the SQLSTATEs of the schema's functions. Stateless. */
final class LogFailures {
    private static final String TOO_OLD = "BS001";
    private static final String FENCED = "BS002";
    private static final String NO_TOPIC = "BS003";
    private static final String HAS_MEMBERS = "BS005";
    private static final String NOT_ALLOWED = "BS006";

    /**
     * The server's function that waits for standbys. Its name does not depend on the server's
     * language, unlike its message.
     */
    private static final String WAIT_FOR_STANDBY = "SyncRepWaitForLSN";

    private LogFailures() {}

    static RuntimeException of(String action, PostgresqlUri where, SQLException cause) {
        String prefix = "Cannot " + action + " in " + where + ": ";
        return switch (DatabaseFailures.state(cause)) {
            case TOO_OLD ->
                new BlobExpiredException(
                        prefix
                                + "a blob is older than the log allows. Publish its records again, and check the clock of"
                                + " this machine.",
                        cause);
            case FENCED ->
                new ConsumerFencedException(
                        prefix + "the member does not own all the partitions any more. Roll back, and poll.", cause);
            case NO_TOPIC ->
                new TopicAbsentException(prefix + "a topic does not exist, or was deleted. Create it.", cause);
            case HAS_MEMBERS ->
                new IllegalStateException(
                        prefix + "the group has members. Stop them, and wait until their leases end.", cause);
            case NOT_ALLOWED ->
                new IllegalArgumentException(
                        prefix + "a topic cannot have fewer partitions than before. Give as many or more.", cause);
            default -> DatabaseFailures.later(action, where, cause);
        };
    }

    /**
     * The failure of a call with which a publisher begins, or a member begins or stays. It reports
     * a refusal that lasts until an operator acts as {@link InvalidSettingsException}: a publisher
     * has no work yet that could wait, and a member would take the refusal for silence.
     */
    static <T> CompletionStage<T> refused(Throwable failure) {
        Throwable known = failure instanceof CompletionException ? failure.getCause() : failure;
        if (known instanceof LogUnavailableException
                && known.getCause() instanceof SQLException cause
                && DatabaseFailures.isRefusal(cause)) {
            return CompletableFuture.failedStage(
                    new InvalidSettingsException(String.valueOf(known.getMessage()), cause));
        }
        return CompletableFuture.failedStage(failure);
    }

    static TopicAbsentException noTopic(int topic, PostgresqlUri where) {
        return new TopicAbsentException("Cannot find topic " + topic + " in " + where + ": it was deleted. Create it.");
    }

    /** Whether a commit ended before a standby had it, because its wait was cancelled. */
    static boolean isUnreplicated(@Nullable SQLWarning first) {
        for (SQLWarning warning = first; warning != null; warning = warning.getNextWarning()) {
            ServerErrorMessage message = warning instanceof PSQLWarning own ? own.getServerErrorMessage() : null;
            if (message != null && WAIT_FOR_STANDBY.equals(message.getRoutine())) {
                return true;
            }
        }
        return false;
    }
}
