package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import dev.blobshuffle.testkit.internal.log.RetentionContractTest;
import org.junit.jupiter.api.Nested;

/** The rules of retention, on each release of PostgreSQL. */
final class RetentionContractIT {
    @Nested
    final class On14 extends RetentionContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(14));
        }
    }

    @Nested
    final class On15 extends RetentionContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(15));
        }
    }

    @Nested
    final class On16 extends RetentionContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(16));
        }
    }

    @Nested
    final class On17 extends RetentionContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(17));
        }
    }

    @Nested
    final class On18 extends RetentionContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(18));
        }
    }
}
