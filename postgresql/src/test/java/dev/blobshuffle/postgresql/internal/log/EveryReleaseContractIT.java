package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.postgresql.internal.schema.EveryRelease;
import dev.blobshuffle.postgresqlembedded.PostgresRelease;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import dev.blobshuffle.testkit.internal.log.ClaimsContractTest;
import dev.blobshuffle.testkit.internal.log.GroupsContractTest;
import dev.blobshuffle.testkit.internal.log.InstancesContractTest;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import dev.blobshuffle.testkit.internal.log.RetentionContractTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.Parameter;

/**
 * Runs, on each release, the contracts whose rules are in Java or are otherwise tested only as SQL
 * on each release.
 */
@Tag("nightly")
@EveryRelease
final class EveryReleaseContractIT {
    @Parameter
    PostgresRelease release;

    private LogUnderTest create() {
        return new TestLog(PostgresServer.shared(release));
    }

    @Nested
    final class ConsumerGroups extends GroupsContractTest {
        @Override
        protected LogUnderTest create() {
            return EveryReleaseContractIT.this.create();
        }
    }

    @Nested
    final class KeepingAndDeleting extends RetentionContractTest {
        @Override
        protected LogUnderTest create() {
            return EveryReleaseContractIT.this.create();
        }
    }

    @Nested
    final class ClaimsToStores extends ClaimsContractTest {
        @Override
        protected LogUnderTest create() {
            return EveryReleaseContractIT.this.create();
        }
    }

    @Nested
    final class Announcements extends InstancesContractTest {
        @Override
        protected LogUnderTest create() {
            return EveryReleaseContractIT.this.create();
        }
    }
}
