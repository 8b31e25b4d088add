package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.postgresql.internal.schema.EveryRelease;
import dev.blobshuffle.postgresqlembedded.PostgresRelease;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import dev.blobshuffle.testkit.internal.log.CommitLogContractTest;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import org.junit.jupiter.params.Parameter;

/** The rules of writing and reading, in PostgreSQL. */
@EveryRelease
final class CommitLogContractIT extends CommitLogContractTest {
    @Parameter
    PostgresRelease release;

    @Override
    protected LogUnderTest create() {
        return new TestLog(PostgresServer.shared(release));
    }
}
