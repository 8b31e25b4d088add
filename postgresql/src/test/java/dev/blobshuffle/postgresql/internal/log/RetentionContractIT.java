package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import dev.blobshuffle.testkit.internal.log.RetentionContractTest;

/** The rules of retention, in PostgreSQL. {@link EveryReleaseContractIT} has the other releases. */
final class RetentionContractIT extends RetentionContractTest {
    @Override
    protected LogUnderTest create() {
        return new TestLog();
    }
}
