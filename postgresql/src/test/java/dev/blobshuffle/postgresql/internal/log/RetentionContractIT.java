package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.postgresql.internal.schema.EveryRelease;
import dev.blobshuffle.postgresqlembedded.PostgresRelease;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import dev.blobshuffle.testkit.internal.log.RetentionContractTest;
import org.junit.jupiter.params.Parameter;

/** The rules of retention, in PostgreSQL. */
@EveryRelease
final class RetentionContractIT extends RetentionContractTest {
    @Parameter
    PostgresRelease release;

    @Override
    protected LogUnderTest create() {
        return new TestLog(PostgresServer.shared(release));
    }
}
