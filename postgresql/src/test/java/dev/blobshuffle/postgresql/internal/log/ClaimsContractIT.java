package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.testkit.internal.log.ClaimsContractTest;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import org.junit.jupiter.api.Nested;

/** The rules of claims, on each release of PostgreSQL. */
final class ClaimsContractIT {
    @Nested
    final class On14 extends ClaimsContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(14));
        }
    }

    @Nested
    final class On15 extends ClaimsContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(15));
        }
    }

    @Nested
    final class On16 extends ClaimsContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(16));
        }
    }

    @Nested
    final class On17 extends ClaimsContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(17));
        }
    }

    @Nested
    final class On18 extends ClaimsContractTest {
        @Override
        protected LogUnderTest create() {
            return new TestLog(TestServers.of(18));
        }
    }
}
