package dev.blobshuffle.postgresql.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.postgresql.internal.checkup.LogCheckup;
import dev.blobshuffle.postgresql.internal.connection.DatabaseTimeouts;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import dev.blobshuffle.postgresql.internal.schema.Migrations;
import dev.blobshuffle.testkit.internal.log.CommitLogContractTest;
import dev.blobshuffle.testkit.internal.log.GroupsContractTest;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import dev.blobshuffle.testkit.internal.log.RetentionContractTest;
import dev.blobshuffle.testkit.internal.log.TransactionContractTest;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** A client role whose sessions begin with settings that change how the server reads and prints. */
final class OddSessionContractIT {
    private static final Map<String, String> SETTINGS = Map.ofEntries(
            Map.entry("array_nulls", "off"),
            Map.entry("backslash_quote", "off"),
            Map.entry("bytea_output", "escape"),
            Map.entry("client_min_messages", "error"),
            Map.entry("datestyle", "SQL, DMY"),
            Map.entry("default_transaction_deferrable", "on"),
            Map.entry("extra_float_digits", "-15"),
            Map.entry("intervalstyle", "sql_standard"),
            Map.entry("plan_cache_mode", "force_generic_plan"),
            Map.entry("quote_all_identifiers", "on"),
            Map.entry("row_security", "off"),
            Map.entry("search_path", ""),
            Map.entry("standard_conforming_strings", "off"),
            Map.entry("synchronous_commit", "off"),
            Map.entry("timezone", "Pacific/Apia"),
            Map.entry("transform_null_equals", "on"));

    private static TestLog odd() {
        TestLog log = new TestLog();
        SETTINGS.forEach(
                (name, value) -> log.execute("alter role " + log.name() + " set " + name + " = '" + value + "'"));
        return log;
    }

    /** A pooler does not pass the options of a connection on. */
    @Test
    void aRoleThatReadsNoNullsBehindAPoolerGetsTheRemedy() {
        try (TestLog log = odd();
                SystemTime time = new SystemTime()) {
            String uri = log.uri(log.server().port()) + "&pooler=transaction";

            assertThatThrownBy(() -> log.connect(uri, DatabaseTimeouts.DEFAULT))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("alter role ROLE set array_nulls = on");
            assertThat(new LogCheckup(PostgresqlUri.parse(uri), Migrations.needed(), time).run())
                    .filteredOn(finding -> finding.subject().equals("nulls"))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.level()).isEqualTo(StoreFinding.Level.ERROR));
        }
    }

    @Nested
    final class WritingAndReading extends CommitLogContractTest {
        @Override
        protected LogUnderTest create() {
            return odd();
        }
    }

    @Nested
    final class Transactions extends TransactionContractTest {
        @Override
        protected LogUnderTest create() {
            return odd();
        }
    }

    @Nested
    final class ConsumerGroups extends GroupsContractTest {
        @Override
        protected LogUnderTest create() {
            return odd();
        }
    }

    @Nested
    final class KeepingAndDeleting extends RetentionContractTest {
        @Override
        protected LogUnderTest create() {
            return odd();
        }
    }
}
