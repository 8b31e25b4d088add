package dev.blobshuffle.postgresql.internal.log;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.testkit.internal.log.ClaimsContractTest;
import dev.blobshuffle.testkit.internal.log.CommitLogContractTest;
import dev.blobshuffle.testkit.internal.log.GroupsContractTest;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import dev.blobshuffle.testkit.internal.log.RetentionContractTest;
import dev.blobshuffle.testkit.internal.log.TransactionContractTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The rules of a commit log behind a transaction pooler. */
final class PoolerContractIT {
    @Test
    void aClientThatTakesThePoolerForAServerLearnsTheParameter() {
        try (PooledLog log = new PooledLog()) {
            assertThatThrownBy(log::connectUnaware)
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("Add the parameter pooler=transaction to blobshuffle.log");
        }
    }

    @Nested
    final class WritingAndReading extends CommitLogContractTest {
        @Override
        protected LogUnderTest create() {
            return new PooledLog();
        }
    }

    @Nested
    final class Transactions extends TransactionContractTest {
        @Override
        protected LogUnderTest create() {
            return new PooledLog();
        }
    }

    @Nested
    final class ConsumerGroups extends GroupsContractTest {
        @Override
        protected LogUnderTest create() {
            return new PooledLog();
        }
    }

    @Nested
    final class KeepingAndDeleting extends RetentionContractTest {
        @Override
        protected LogUnderTest create() {
            return new PooledLog();
        }
    }

    @Nested
    final class ClaimsToStores extends ClaimsContractTest {
        @Override
        protected LogUnderTest create() {
            return new PooledLog();
        }
    }
}
