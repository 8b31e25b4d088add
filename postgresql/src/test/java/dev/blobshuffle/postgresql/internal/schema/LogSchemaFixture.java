package dev.blobshuffle.postgresql.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatObject;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.postgresqlembedded.PostgresRelease;
import java.sql.SQLException;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;

/** A new log and a client for each test, on each release. */
@EveryRelease
abstract class LogSchemaFixture {
    @Parameter
    PostgresRelease release;

    LogSchema log;
    Session client;

    @BeforeEach
    void open() throws SQLException {
        log = LogSchema.create(release);
        client = log.client();
    }

    @AfterEach
    void close() throws SQLException {
        log.close();
    }

    static void assertFails(String state, ThrowingCallable call) {
        SQLException failure = catchThrowableOfType(SQLException.class, call);
        assertThatObject(failure).isNotNull();
        assertThat(failure.getSQLState()).as(failure.getMessage()).isEqualTo(state);
    }

    /** Waits until a session waits for a lock. */
    void awaitBlocked(int pid) {
        await("session " + pid + " waits for a lock")
                .atMost(Duration.ofMinutes(2))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> log.owner().<Boolean>value("select cardinality(pg_blocking_pids(?)) > 0", pid));
    }

    /** The minute by the log's clock. */
    long minute() throws SQLException {
        return log.owner().<Long>value("select floor(extract(epoch from log_clock()) / 60)::bigint");
    }
}
