package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.testkit.internal.log.CommitLogContractTest;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import org.junit.jupiter.api.Nested;

/** The rules of writing and reading, on each release of PostgreSQL. */
final class CommitLogContractIT {
    @Nested
    final class On14 extends CommitLogContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(14));
        }
    }

    @Nested
    final class On15 extends CommitLogContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(15));
        }
    }

    @Nested
    final class On16 extends CommitLogContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(16));
        }
    }

    @Nested
    final class On17 extends CommitLogContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(17));
        }
    }

    @Nested
    final class On18 extends CommitLogContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(18));
        }
    }
}
