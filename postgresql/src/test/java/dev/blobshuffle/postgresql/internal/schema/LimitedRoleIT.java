package dev.blobshuffle.postgresql.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Roles with some of the uses. */
class LimitedRoleIT extends LogSchemaFixture {
    private static final String DENIED = "42501";

    /** Calls of each use, which succeed on a new log with a topic. */
    private static final Map<ClientUse, List<String>> CALLS = Map.of(
            ClientUse.PUBLISH,
            List.of(
                    "select * from init_writer('w')",
                    "select outbox_publish('t', 'key', 'value')",
                    "select outbox_publish('t', 'key'::bytea, 'value'::bytea)"),
            ClientUse.SUBSCRIBE,
            List.of(
                    "select * from read_order(1, 0, 10, 1000, null)",
                    "select * from lock_group('g')",
                    "select * from group_partitions('g', null)"),
            ClientUse.ADMINISTER,
            List.of(
                    "select change_topic(1, 2, 'forever', null)",
                    "select set_positions('g', '{}', '{}', '{}')",
                    "select delete_group('g')",
                    "select trim_topics()",
                    "select * from tombstones_due(1)"));

    private static final List<String> OF_ALL =
            List.of("select * from log_info()", "select sequence_topic(1)", "select * from find_topics(null)");

    private final SchemaName role =
            new SchemaName("Limited \"" + UUID.randomUUID().toString().substring(0, 8));
    private Session limited;

    @BeforeEach
    void enter() throws SQLException {
        client.topic("t");
        log.owner().execute("create role " + role.quoted());
        limited = new Session(PostgresServer.shared(release).connect("postgres"));
        limited.execute("set role " + role.quoted());
        limited.execute("set search_path to " + log.quoted());
    }

    @AfterEach
    void drop() throws SQLException {
        limited.close();
        log.owner().execute("drop owned by " + role.quoted());
        log.owner().execute("drop role " + role.quoted());
    }

    private void grant(Set<ClientUse> uses) throws SQLException {
        new Migrations(new SchemaName(log.name)).grant(log.owner().connection(), new ClientRole(role, uses));
    }

    private void assertMay(Set<ClientUse> uses) throws SQLException {
        for (String call : OF_ALL) {
            limited.execute(call);
        }
        for (Map.Entry<ClientUse, List<String>> each : CALLS.entrySet()) {
            for (String call : each.getValue()) {
                if (uses.contains(each.getKey())) {
                    limited.execute(call);
                } else {
                    assertFails(DENIED, () -> limited.execute(call));
                }
            }
        }
        assertFails(DENIED, () -> limited.execute("select * from batch"));
    }

    @Test
    void aRoleMayCallTheFunctionsOfItsUsesAndNoOthers() throws SQLException {
        for (ClientUse use : ClientUse.values()) {
            grant(EnumSet.of(use));
            assertMay(EnumSet.of(use));
            grant(EnumSet.complementOf(EnumSet.of(use)));
            assertMay(EnumSet.complementOf(EnumSet.of(use)));
        }
        grant(ClientUse.all());
        assertMay(ClientUse.all());
    }

    @Test
    void anUpgradeWidensNothing() throws SQLException {
        grant(EnumSet.of(ClientUse.SUBSCRIBE));
        new Migrations(new SchemaName(log.name)).apply(log.owner().connection());
        assertMay(EnumSet.of(ClientUse.SUBSCRIBE));
    }

    /** A function without a use is for all clients, so check whether a new function needs one. */
    @Test
    void functionsForAllClientsChangeNothingThatOthersRelyOn() throws SQLException {
        assertThat(log.owner()
                        .<String>column(
                                "select distinct proname::text from pg_proc where pronamespace = ?::regnamespace"
                                        + " and prosecdef and obj_description(oid, 'pg_proc') = 'all' order by 1",
                                log.quoted()))
                .containsExactly(
                        "announce_instance",
                        "claim_ids",
                        "find_group",
                        "find_groups",
                        "find_instances",
                        "find_topics",
                        "forget_claims",
                        "log_info",
                        "look",
                        "remember_claim",
                        "sequence_topic",
                        "topic_zones",
                        "topics_version",
                        "withdraw_instance");
    }
}
