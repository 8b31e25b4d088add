package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.testkit.internal.log.InstancesContractTest;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;

/**
 * The rules of announcements, in PostgreSQL. {@link EveryReleaseContractIT} has the other releases.
 */
final class InstancesContractIT extends InstancesContractTest {
    @Override
    protected LogUnderTest create() {
        return new TestLog();
    }
}
