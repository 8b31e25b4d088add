package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.testkit.internal.log.ClaimsContractTest;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;

/** The rules of claims, in PostgreSQL. {@link EveryReleaseContractIT} has the other releases. */
final class ClaimsContractIT extends ClaimsContractTest {
    @Override
    protected LogUnderTest create() {
        return new TestLog();
    }
}
