package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.postgresql.internal.schema.EveryRelease;
import dev.blobshuffle.postgresqlembedded.PostgresRelease;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import dev.blobshuffle.testkit.internal.log.TransactionContractTest;
import org.junit.jupiter.params.Parameter;

/** The rules of transactions, in PostgreSQL. */
@EveryRelease
final class TransactionContractIT extends TransactionContractTest {
    @Parameter
    PostgresRelease release;

    @Override
    protected LogUnderTest create() {
        return new TestLog(PostgresServer.shared(release));
    }
}
