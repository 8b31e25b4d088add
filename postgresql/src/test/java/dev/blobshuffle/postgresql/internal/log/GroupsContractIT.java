package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.testkit.internal.log.GroupsContractTest;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import org.junit.jupiter.api.Nested;

/** The rules of consumer groups, on each release of PostgreSQL. */
final class GroupsContractIT {
    @Nested
    final class On14 extends GroupsContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(14));
        }
    }

    @Nested
    final class On15 extends GroupsContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(15));
        }
    }

    @Nested
    final class On16 extends GroupsContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(16));
        }
    }

    @Nested
    final class On17 extends GroupsContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(17));
        }
    }

    @Nested
    final class On18 extends GroupsContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(18));
        }
    }
}
