package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.testkit.internal.log.GroupsContractTest;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;

/**
 * The rules of consumer groups, in PostgreSQL. {@link EveryReleaseContractIT} has the other
 * releases.
 */
final class GroupsContractIT extends GroupsContractTest {
    @Override
    protected LogUnderTest create() {
        return new TestLog();
    }
}
