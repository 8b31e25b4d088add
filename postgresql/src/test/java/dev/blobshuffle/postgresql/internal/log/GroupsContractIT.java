package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.postgresql.internal.schema.EveryRelease;
import dev.blobshuffle.postgresqlembedded.PostgresRelease;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import dev.blobshuffle.testkit.internal.log.GroupsContractTest;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import org.junit.jupiter.params.Parameter;

/** The rules of consumer groups, in PostgreSQL. */
@EveryRelease
final class GroupsContractIT extends GroupsContractTest {
    @Parameter
    PostgresRelease release;

    @Override
    protected LogUnderTest create() {
        return new TestLog(PostgresServer.shared(release));
    }
}
