package dev.blobshuffle.cli.messaging;

import static dev.blobshuffle.cli.messaging.LogDatabase.CLIENT;
import static dev.blobshuffle.cli.messaging.LogDatabase.OWNER;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.cli.RefusingPort;
import dev.blobshuffle.cli.messaging.LogDatabase.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the commands that need a log and no store, on a real server. */
class MessagingLogIT {
    @TempDir
    private static Path directory;

    private static LogDatabase database;

    @BeforeAll
    static void start() throws Exception {
        database = LogDatabase.shared(directory);
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @BeforeEach
    void setUp() throws Exception {
        database.inside("drop schema if exists blobshuffle cascade");
        database.setUp();
    }

    private static JsonNode json(Outcome outcome) throws IOException {
        return new ObjectMapper().readTree(outcome.out());
    }

    @Test
    void setupSaysWhatItWouldDoAndDoesItOnce() throws Exception {
        database.inside("drop schema blobshuffle cascade");

        Outcome dry = database.run(OWNER, "setup", "--client-role", CLIENT);
        assertThat(dry.status()).isZero();
        assertThat(dry.out())
                .contains(
                        "Create schema blobshuffle",
                        "Let role app publish, subscribe, administer,",
                        "Nothing was changed")
                .doesNotContain("Done");
        assertThat(database.run(CLIENT, "topics", "list").status()).isEqualTo(2);

        assertThat(database.run(OWNER, "setup", "--client-role", CLIENT, "--execute")
                        .out())
                .contains("Done.");
        assertThat(database.run(CLIENT, "topics", "list").out()).isEqualTo("There are no topics.\n");
        assertThat(database.run(OWNER, "setup", "--client-role", CLIENT).out())
                .contains("Nothing to do: the log has version");
        JsonNode again = json(database.run(OWNER, "setup", "--client-role", CLIENT, "--execute", "--json"))
                .get("setup");
        assertThat(again.get("executed").asBoolean()).isFalse();
        assertThat(again.get("from_version")).isEqualTo(again.get("to_version"));
    }

    @Test
    void aRoleThatMaySubscribeDoesNothingElse() throws Exception {
        assertThat(database.run(CLIENT, "topics", "create", "orders").status()).isZero();

        String[] setup = {"setup", "--client-role", CLIENT, "--grant", "subscribe"};
        assertThat(database.run(OWNER, setup).out())
                .contains("Let role app subscribe, and nothing else.", "Nothing was changed");
        assertThat(database.run(OWNER, "setup", "--client-role", CLIENT, "--grant", " subscribe", "--execute")
                        .out())
                .contains("Done.");
        assertThat(database.run(OWNER, setup).out()).contains("Nothing to do: the log has version");

        assertThat(database.run(CLIENT, "topics", "list").out()).contains("orders");
        assertThat(database.run(CLIENT, "lag").status()).isZero();
        Outcome refused = database.run(CLIENT, "topics", "create", "more");
        assertThat(refused.status()).isOne();
        assertThat(refused.err()).contains("the role may not do this", "--client-role and --grant");
        assertThat(database.run(CLIENT, "gc", "--store", "memory://limited").err())
                .contains("Cannot sweep", "the role may not administer the log");
        assertThat(database.run(OWNER, "setup", "--client-role", CLIENT, "--grant", "read")
                        .err())
                .contains("Cannot grant 'read'", "publish, subscribe and administer");
        assertThat(database.run(OWNER, "setup", "--grant", "publish").err())
                .contains("--grant is for a --client-role, and none is given");
    }

    /** Publishers and subscribers refuse such names, so nothing could use the topic. */
    @Test
    void aTopicGetsNoNameThatApplicationsCannotUse() {
        Outcome tooLong = database.run(CLIENT, "topics", "create", "x".repeat(501));
        assertThat(tooLong.status()).isEqualTo(2);
        assertThat(tooLong.err()).contains("it has 501 bytes in UTF-8");
        assertThat(database.run(CLIENT, "topics", "create", " ").err()).contains("it is blank");
        assertThat(database.run(CLIENT, "topics", "list").out()).isEqualTo("There are no topics.\n");
    }

    @Test
    void setupRefusesWhatWouldNotWork() throws Exception {
        assertThat(database.run(CLIENT, "setup", "--execute").err()).contains("belongs to owner", "Log in as owner.");
        assertThat(database.run(OWNER, "setup", "--client-role", "nobody").err())
                .contains("there is no role nobody", "create role nobody login");
        assertThat(database.run(OWNER, "setup", "--client-role", OWNER).err()).contains("is not a client role");
        database.inside("drop schema blobshuffle cascade", "create schema blobshuffle authorization owner");
        database.inside("create table blobshuffle.batch(x int)");
        assertThat(database.run(OWNER, "setup", "--execute").err())
                .contains("holds 1 other tables", "a schema of its own");
        database.inside("drop schema blobshuffle cascade");
        assertThat(database.run(CLIENT, "setup").err())
                .contains("grant create on database " + database.name() + " to app");
    }

    @Test
    void topicsAreCreatedChangedAndDeleted() throws Exception {
        assertThat(database.run(CLIENT, "topics", "create", "orders", "--partitions", "3", "--retention", "7d")
                        .out())
                .isEqualTo("Topic orders is created: 3 partitions, retention 7d.\n");
        Outcome again = database.run(CLIENT, "topics", "create", "orders");
        assertThat(again.status()).isEqualTo(1);
        assertThat(again.out()).contains("exists already: 3 partitions, retention 7d");

        assertThat(database.run(CLIENT, "topics", "change", "orders", "--partitions", "5")
                        .out())
                .contains("would have 5 partitions, retention 7d", "run it with --execute");
        assertThat(topics().get(0).get("partitions").asInt()).isEqualTo(3);
        assertThat(database.run(CLIENT, "topics", "change", "orders", "--retention", "consumed", "--execute")
                        .status())
                .isZero();
        assertThat(topics().get(0).get("retention").asText()).isEqualTo("consumed");
        database.run(CLIENT, "topics", "change", "orders", "--retention", "consumed:30d", "--execute");
        assertThat(topics().get(0).get("retention").asText()).isEqualTo("consumed:30d");
        Outcome fewer = database.run(CLIENT, "topics", "change", "orders", "--partitions", "2", "--execute");
        assertThat(fewer.status()).isEqualTo(2);
        assertThat(fewer.err()).contains("Give 3 to 100000.");

        assertThat(database.run(CLIENT, "topics", "delete", "orders").out()).contains("would delete topic orders");
        assertThat(topics()).hasSize(1);
        assertThat(database.run(CLIENT, "topics", "delete", "orders", "--execute")
                        .status())
                .isZero();
        assertThat(topics()).isEmpty();
        assertThat(database.run(CLIENT, "topics", "delete", "orders", "--execute")
                        .status())
                .isEqualTo(1);
    }

    private JsonNode topics() throws IOException {
        return json(database.run(CLIENT, "topics", "list", "--json")).get("topics");
    }

    @Test
    void groupsAreMovedDescribedAndDeleted() throws Exception {
        database.run(CLIENT, "topics", "create", "orders", "--partitions", "2");
        database.publish("checkout", "orders", "a", "b");
        database.publish("checkout", "orders", "c");

        assertThat(database.run(CLIENT, "groups", "seek", "billing", "--topic", "orders", "--to", "start")
                        .out())
                .contains("would be at batch 0 in 2 partitions of orders, 2 batches before the end");
        assertThat(database.run(CLIENT, "groups", "list").out()).isEqualTo("There are no groups.\n");
        seek("start");
        assertThat(lag().get("lag").asLong()).isEqualTo(2);
        assertThat(lag().get("behind_ms").asLong()).isBetween(0L, 600_000L);
        seek("1h");
        assertThat(lag().get("lag").asLong()).isEqualTo(2);
        seek("2100-01-01T00:00:00Z");
        assertThat(lag().get("lag").asLong()).isZero();
        assertThat(lag().get("behind_ms").isNull()).isTrue();
        seek("start", "--partition", "1");
        JsonNode described = json(database.run(CLIENT, "groups", "describe", "billing", "--json"));
        assertThat(described.get("partitions").get(0).get("sequence").asLong()).isEqualTo(2);
        assertThat(described.get("partitions").get(1).get("lag").asLong()).isEqualTo(2);

        assertThat(database.run(CLIENT, "groups", "delete", "billing").out()).contains("would delete group billing");
        assertThat(database.run(CLIENT, "groups", "delete", "billing", "--execute")
                        .status())
                .isZero();
        assertThat(database.run(CLIENT, "groups", "describe", "billing").status())
                .isEqualTo(1);
        assertThat(database.run(CLIENT, "lag", "--group", "billing").status()).isEqualTo(1);
        Outcome wrong = database.run(
                CLIENT, "groups", "seek", "g", "--topic", "orders", "--partition", "2", "--to", "end", "--execute");
        assertThat(wrong.err()).contains("has no partition 2. Give 0 to 1.");
    }

    @Test
    void whatKeepsMembersFromReadingIsShown() throws Exception {
        database.run(CLIENT, "topics", "create", "orders");
        database.run(CLIENT, "topics", "create", "gone");
        seek("end");
        assertThat(lag().get("staged").asBoolean()).isFalse();
        database.inside(
                "select blobshuffle.outbox_publish('orders', 'key', 'value')",
                "select blobshuffle.put_member('billing', gen_random_uuid(), 'a', '{1,2}', interval '1 hour')");

        assertThat(lag().get("staged").asBoolean()).isTrue();
        assertThat(database.run(CLIENT, "lag").out()).containsPattern("STAGED\\s+billing .* yes");
        assertThat(database.run(CLIENT, "groups", "describe", "billing").out()).doesNotContain("deleted");

        database.run(CLIENT, "topics", "delete", "gone", "--execute");
        assertThat(database.run(CLIENT, "groups", "describe", "billing").out())
                .contains("Members read topics that were deleted, by number: [2].");
        assertThat(json(database.run(CLIENT, "groups", "describe", "billing", "--json"))
                        .get("deleted_topics")
                        .get(0)
                        .asInt())
                .isEqualTo(2);
    }

    private void seek(String to, String... more) {
        String[] arguments = {"groups", "seek", "billing", "--topic", "orders", "--to", to, "--execute"};
        String[] all = java.util.stream.Stream.of(arguments, more)
                .flatMap(java.util.Arrays::stream)
                .toArray(String[]::new);
        assertThat(database.run(CLIENT, all)).extracting(Outcome::status).isEqualTo(0);
    }

    private JsonNode lag() throws IOException {
        return json(database.run(CLIENT, "lag", "--group", "billing", "--json"))
                .get("lag")
                .get(0);
    }

    @Test
    void tailShowsWritersAndSizesAndNoValues() throws Exception {
        database.run(CLIENT, "topics", "create", "orders");
        assertThat(database.run(CLIENT, "tail", "orders").out()).isEqualTo("Topic orders holds no batch.\n");
        database.publish("checkout", "orders", "first", "second");
        database.publish("returns\u001b[31m", "orders", "third");

        Outcome text = database.run(CLIENT, "tail", "orders");
        assertThat(text.status()).isZero();
        assertThat(text.out())
                .contains("batch 0  ", "by checkout  2 records in 1 partition", "in the log itself  2 records")
                .contains("by returns\\u001b[31m")
                .doesNotContain("first", "third", "\u001b");
        Outcome last = database.run(CLIENT, "tail", "orders", "--last", "1", "--json");
        assertThat(last.out().lines()).hasSize(1);
        assertThat(json(last).get("sequence").asInt()).isEqualTo(1);
        assertThat(json(last).get("writer").asText()).isEqualTo("returns\u001b[31m");
    }

    @Test
    void aTopicThatACommandNeedsAndThatIsAbsentIsWrongUsage() throws Exception {
        for (String[] arguments : List.of(
                new String[] {"tail", "absent"},
                new String[] {"topics", "change", "absent", "--partitions", "2"},
                new String[] {"groups", "seek", "g", "--topic", "absent", "--to", "end"})) {
            Outcome outcome = database.run(CLIENT, arguments);
            assertThat(outcome.status()).as(String.join(" ", arguments)).isEqualTo(2);
            assertThat(outcome.err()).contains("Cannot find topic absent: it does not exist.");
        }
    }

    @Test
    void aNameCannotCommandTheTerminal() throws Exception {
        String name = "evil\u001b[2J\n\u202ename";
        assertThat(database.run(CLIENT, "topics", "create", name).out())
                .contains("evil\\u001b[2J\\u000a\\u202ename")
                .doesNotContain("\u001b", "\u202e");
        assertThat(database.run(CLIENT, "topics", "list").out()).hasLineCount(2).doesNotContain("\u001b", "\u202e");
        assertThat(topics().get(0).get("topic").asText()).isEqualTo(name);
        assertThat(database.run(CLIENT, "topics", "change", name + "x", "--partitions", "2")
                        .err())
                .doesNotContain("\u001b");
    }

    @Test
    void aDatabaseThatIsNotThereIsSaidSo() throws Exception {
        try (RefusingPort port = new RefusingPort()) {
            String log = "postgresql://127.0.0.1:" + port.number() + "/logs";
            Outcome gone = LogDatabase.command("messaging", "topics", "list", "--log", log);
            assertThat(gone.status()).isOne();
            assertThat(gone.err()).contains("no connection to a primary");
        }
        Outcome absent = LogDatabase.command(
                "messaging", "lag", "--log", database.uri(CLIENT).replace("/" + database.name() + "?", "/other?"));
        assertThat(absent.status()).isEqualTo(2);
        assertThat(absent.err()).contains("the database does not exist");
        database.writeCredentials("wrong", "guess");
        assertThat(database.run("wrong", "groups", "list").err()).contains("Correct the credentials");
    }
}
