package dev.blobshuffle.examples.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.internal.application.ApplicationSettings;
import dev.blobshuffle.messaging.Messaging;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import dev.blobshuffle.testkit.internal.servers.FreePort;
import dev.blobshuffle.testkit.internal.servers.VersityGateway;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * README.md and the guides work as printed. Each test takes the blocks of a page in their order and
 * replaces addresses, paths and names that stand for the reader's own. It runs each block, or
 * leaves it with the reason. docs/guides/python.md has python/tests/test_printed_page.py.
 */
class PrintedPagesIT {
    private static final String PRINTED_STORE = "s3://BUCKET/PREFIX?region=eu-central-1";
    private static final String DIRECTORY = "file:///var/lib/blobs";
    private static final String OWN_TEST = "a test of the module bench runs the demo";

    @TempDir
    private Path directory;

    private PageShell shell;

    @BeforeAll
    static void signIn() {
        System.setProperty("aws.accessKeyId", VersityGateway.ACCESS_KEY);
        System.setProperty("aws.secretAccessKey", VersityGateway.SECRET_KEY);
    }

    @AfterAll
    static void signOut() {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    @BeforeEach
    void openShell() throws IOException {
        shell = new PageShell(directory);
    }

    @Test
    void readme() throws Exception {
        PrintedPage page = PrintedPage.open("README.md")
                .replacing("s3://my-bucket/shuffle?region=eu-central-1", bucket("readme", "shuffle"));
        Map<String, String> settings =
                page.next("properties", "blobshuffle.store").settings();
        page.leave("", "./blobshuffle demo", OWN_TEST);
        page.leave("java", "//DEPS", "OneFileIT runs it");
        page.leave("", "./mvnw -Pquick -Dmaven.test.skip=true install", ".ci/artifacts runs it");
        page.leave("xml", "blobshuffle-bom", ".ci/artifacts runs it");
        page.leave("groovy", "blobshuffle-kstreams", ".ci/artifacts runs it");
        String help = shell.run(page.next("", "make help").without("./mvnw verify", "it is the build that runs this"));
        page.end();

        assertThat(help).contains("make verify", "make quick");
        counts("readme", settings);
        assertThat(shell.run(page.inline("plan --throughput")).status()).isZero();
        assertThat(shell.run(page.inline("blobshuffle help")).output()).contains("doctor");
    }

    @Test
    void adopt() throws Exception {
        adopt("exactly_once_v2");
    }

    @Test
    @Tag("nightly")
    void adoptAtLeastOnce() throws Exception {
        adopt("at_least_once");
    }

    private void adopt(String guarantee) throws Exception {
        String id = "adopt-" + guarantee.replace('_', '-');
        PrintedPage page = PrintedPage.open("docs/guides/adopt.md")
                .replacing(PRINTED_STORE, bucket(id, "prefix"))
                .replacing("--application-id ID", "--application-id " + id);
        EmbeddedKafka kafka = EmbeddedKafka.shared();
        kafka.createTopic(id, 2);

        String plan = shell.run(page.next("", "plan --throughput"));
        PrintedBlock printed = page.next("properties", "blobshuffle.write.enabled=false");
        String own = "bootstrap.servers=%s%napplication.id=%s%nprocessing.guarantee=%s%nstate.dir=%s%n"
                .formatted(kafka.bootstrapServers(), id, guarantee, directory.resolve("state"));
        Files.writeString(shell.file("app.properties"), own + printed.text());
        String doctor = shell.run(page.next("", "doctor --config"));
        page.end();

        assertThat(plan).contains("blobshuffle.batch.max.bytes=");
        assertThat(doctor).doesNotContain("ERROR");
        Map<String, String> reading = own(printed.settings(), guarantee);
        try (PrintedApplication application = new PrintedApplication(kafka, id, reading)) {
            application.count("plain");
        }
        Map<String, String> writing = new HashMap<>(reading);
        writing.remove("blobshuffle.write.enabled");
        try (PrintedApplication application = new PrintedApplication(kafka, id, writing)) {
            application.count("blob");
        }
        try (PrintedApplication application = new PrintedApplication(kafka, id, reading)) {
            application.count("out");
            await().atMost(Duration.ofMinutes(3)).untilAsserted(() -> {
                PageShell.Outcome drained = shell.run(page.inline("drained --config"));
                assertThat(drained.status()).as(drained.output()).isZero();
            });
        }
    }

    @Test
    void kafkaStreams() throws Exception {
        kafkaStreams("exactly_once_v2");
    }

    @Test
    @Tag("nightly")
    void kafkaStreamsAtLeastOnce() throws Exception {
        kafkaStreams("at_least_once");
    }

    private void kafkaStreams(String guarantee) throws Exception {
        PrintedPage page = PrintedPage.open("docs/guides/kafka-streams.md")
                .replacing(DIRECTORY, directory.resolve("blobs").toUri().toString());
        String id = "guide-" + guarantee.replace('_', '-');
        counts(id, own(page.next("properties", "blobshuffle.store").settings(), guarantee));
        counts(
                id + "-streams",
                own(page.next("properties", "group.protocol=streams").settings(), guarantee));
        page.leave("java", "BlobShuffleClientSupplier.addTo", "GuideIT of the module kstreams runs it");
        counts(id + "-out", own(page.next("properties", "write.enabled").settings(), guarantee));
        page.end();
    }

    @Test
    void s3() throws Exception {
        PrintedPage page = PrintedPage.open("docs/guides/s3.md").replacing(PRINTED_STORE, bucket("guide-s3", "p"));
        JsonNode policy =
                new ObjectMapper().readTree(page.next("json", "s3:GetObject").text());
        Map<String, String> settings =
                new HashMap<>(page.next("properties", "blobshuffle.store").settings());
        settings.putAll(
                page.next("properties", "blobshuffle.cache.memory.bytes").settings());
        shell.run(page.next("", "doctor --create --execute"));
        page.leave("", "make s3", "it serves until it is ended, on a fixed port");
        page.leave("", "./blobshuffle demo --store", OWN_TEST);
        PrintedBlock java = page.next("java", "S3BlobStores.builder");
        page.end();

        assertThat(policy.path("Statement").findValuesAsText("Effect")).containsOnly("Allow");
        settings.put("default.client.supplier", ApplicationSettings.SUPPLIER_CLASS);
        counts("guide-s3", settings);
        PrintedJava.compile(
                directory,
                List.of(
                        "dev.blobshuffle.core.store.*",
                        "dev.blobshuffle.core.time.SystemTime",
                        "dev.blobshuffle.s3.*",
                        "software.amazon.awssdk.services.s3.S3Client"),
                "static void open(S3Client s3Client, SystemTime time) {" + java.text() + "}");
    }

    @Test
    void monitoring() throws Exception {
        shell.require("promtool", ".ci/install-servers prometheus");
        String endpoint = "127.0.0.1:" + FreePort.take();
        PrintedPage page = PrintedPage.open("docs/guides/monitoring.md")
                .replacing("0.0.0.0:9400", endpoint)
                .replacing("http://10.0.1.7:9400", "http://" + endpoint);
        for (String file : List.of("alerts.yml", "alerts-test.yml")) {
            Files.copy(Path.of("../dashboards", file), shell.file(file));
        }
        Map<String, String> settings =
                new HashMap<>(page.next("properties", "metrics.listen").settings());
        settings.put("default.client.supplier", ApplicationSettings.SUPPLIER_CLASS);
        settings.put("blobshuffle.store", directory.resolve("blobs").toUri().toString());

        Files.writeString(
                shell.file("prometheus.yml"),
                page.next("yaml", "scrape_configs").text());
        String expression = page.next("", "histogram_quantile").text();
        Files.writeString(
                shell.file("expression.yml"),
                "groups: [{name: printed, rules: [{record: printed, expr: '" + expression.strip() + "'}]}]");
        assertThat(shell.run("promtool check config prometheus.yml && promtool check rules expression.yml"))
                .satisfies(outcome ->
                        assertThat(outcome.status()).as(outcome.output()).isZero());
        shell.run(page.next("", "promtool check rules"));
        PrintedJava.compile(
                directory,
                List.of("dev.blobshuffle.micrometer.BlobShuffleMetrics", "io.micrometer.core.instrument.MeterRegistry"),
                "static void bind(MeterRegistry registry) {"
                        + page.next("java", "bindTo").text() + "}");
        page.leave("yaml", "percentiles-histogram", "a setting of Actuator, and there is no Spring here");
        page.leave("xml", "micrometer-registry-otlp", "an artifact of Micrometer, which the build does not have");
        page.leave("yaml", "management.otlp", "a setting of Actuator, and there is no Spring here");
        page.leave("properties", "interceptor.classes", "a class of OpenTelemetry, which the build does not have");
        page.leave("", "./blobshuffle demo --metrics-listen", OWN_TEST + ", and nothing here has Grafana");
        EmbeddedKafka kafka = EmbeddedKafka.shared();
        kafka.createTopic("monitoring", 2);
        try (PrintedApplication application = new PrintedApplication(kafka, "monitoring", own(settings))) {
            application.count("word");
            shell.run(page.next("", "promtool check metrics"));
            assertThat(beansThatTheRuleMatches(page.next("yaml", "pattern:").text()))
                    .isPositive();
        }
        page.end();
    }

    @Test
    void kubernetes() throws Exception {
        String render = helm() + " -n blobshuffle template --kube-version 1.37.0";
        PrintedPage page = PrintedPage.open("docs/guides/kubernetes.md")
                // Without a cluster, Helm renders what it would install.
                .replacing("helm -n blobshuffle install", render)
                .replacing("helm -n blobshuffle upgrade", render);
        page.leave("", "make image", "make image is a check of its own, and nothing here is a registry");
        PrintedBlock install = page.next("", "helm -n blobshuffle install");
        Files.writeString(
                shell.file("values.yaml"), page.next("yaml", "values.yaml").text());
        String installed = shell.run(install.without("kubectl", "it needs a cluster"));
        String memory = page.next("", "cache.heapMiB").text();
        String upgraded = shell.run(page.next("", "sweeper.enabled").without("kubectl", "it needs a cluster"));
        page.end();

        assertThat(installed).contains("kind: StatefulSet", "us-east-1c").doesNotContain("kind: CronJob");
        assertThat(upgraded).contains("kind: CronJob");
        int mebibytes = Pattern.compile("\\d+")
                .matcher(memory)
                .results()
                .mapToInt(number -> Integer.parseInt(number.group()))
                .sum();
        assertThat(installed).contains("memory: " + mebibytes + "Mi");
    }

    @Test
    void messaging() throws Exception {
        try (PostgresServer server = PostgresServer.builder().start()) {
            execute(server, "postgres", "create role app login password 'secret'", "create database app");
            String database = "postgresql://localhost:" + server.port() + "/app?credentials=";
            String log = database + credentials("app", "secret");
            String store = bucket("guide-messaging", "messages");
            PrintedPage page = PrintedPage.open("docs/guides/messaging.md")
                    .replacing(
                            "postgresql://localhost/app",
                            database + credentials(PostgresServer.USER, server.password()))
                    .replacing("s3://my-bucket/messages?region=eu-central-1", store)
                    .replacing("postgresql://db.example.com/app?credentials=/run/secrets/db", log)
                    .replacing("0.0.0.0:7400", "127.0.0.1:0")
                    .replacing("blobshuffle.peer.advertised=10.0.1.7:7400\n", "")
                    .replacing("/etc/blobshuffle/secret", secret());
            shell.run(page.next("", "messaging setup"));
            execute(
                    server,
                    "app",
                    "create table booked (customer text)",
                    "create table orders (id bigint, state text)",
                    "grant all on booked, orders to app");

            program(page).run();

            try (Connection connection = server.connect("app", "app", "secret");
                    Statement statement = connection.createStatement()) {
                statement.execute(page.next("sql", "outbox_publish").text());
                try (ResultSet booked = statement.executeQuery("select count(*) from booked")) {
                    booked.next();
                    assertThat(booked.getInt(1)).isPositive();
                }
            }
            Map<String, String> shared =
                    new HashMap<>(page.next("properties", "peer.listen").settings());
            shared.putAll(Map.of("blobshuffle.store", store, "blobshuffle.log", log));
            page.end();
            Messaging.open(shared).close();
        }
    }

    /** The page's Java as one program: the later blocks are where the first one has its dots. */
    private PrintedJava program(PrintedPage page) throws IOException {
        String start = page.next("java", "Messaging.open").text();
        String publish = page.next("java", "messaging.publisher").text();
        String subscribe = page.next("java", "messaging.subscriber").text();
        String transaction = page.next("java", "messaging.begin").text();
        String more = """
                messaging.topics().create(Topic.named("invoices").partitions(1).retention(Duration.ofDays(1)));
                publisher.publish("orders", orderId, json).toCompletableFuture().get();
                var records = subscriber.poll(Duration.ofSeconds(1));
                while (!records.iterator().hasNext()) records = subscriber.poll(Duration.ofSeconds(1));
                """;
        assertThat(start).contains("…");
        String members = """
                private static final String orderId = "order-42";
                private static final String json = "{}";
                private static boolean running = true;

                private static void charge(String key, String value) {
                    running = false;
                }

                private static void book(Connection connection, ReceivedRecord<String, String> record) throws Exception {
                    try (var statement = connection.prepareStatement("insert into booked values (?)")) {
                        statement.setString(1, record.key());
                        statement.execute();
                    }
                }

                private static String invoice(ReceivedRecord<String, String> record) {
                    return record.value();
                }

                public static void run() throws Exception {
                    %s
                }
                """.formatted(start.replace("…", publish + subscribe + more + transaction));
        List<String> imports = List.of(
                "dev.blobshuffle.messaging.*",
                "java.sql.Connection",
                "java.time.Duration",
                "java.util.Map",
                "java.util.concurrent.CompletionStage");
        return PrintedJava.compile(directory, imports, members);
    }

    /** Starts an application with these settings, and lets it count. */
    private void counts(String id, Map<String, String> settings) throws Exception {
        EmbeddedKafka kafka = EmbeddedKafka.shared();
        kafka.createTopic(id, 2);
        try (PrintedApplication application = new PrintedApplication(kafka, id, own(settings))) {
            application.count("word");
        }
    }

    private Map<String, String> own(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("state.dir", directory.resolve("state").toString());
        return all;
    }

    private Map<String, String> own(Map<String, String> settings, String guarantee) {
        Map<String, String> all = own(settings);
        all.put("processing.guarantee", guarantee);
        return all;
    }

    private static String bucket(String name, String prefix) {
        VersityGateway server = VersityGateway.shared();
        server.makeBucket(name);
        return "s3://" + name + "/" + prefix + "?region=us-east-1&path-style=true&endpoint=" + server.endpoint();
    }

    private String credentials(String user, String password) throws IOException {
        return privately("credentials-" + user, "user=" + user + "\npassword=" + password + "\n");
    }

    private String secret() throws IOException {
        return privately("secret", "a secret of the members of one zone, 32 bytes or more");
    }

    private String privately(String name, String text) throws IOException {
        Path file = Files.writeString(directory.resolve(name), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file.toString();
    }

    private static void execute(PostgresServer server, String database, String... statements) throws Exception {
        try (Connection connection = server.connect(database);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private String helm() throws Exception {
        String cache = System.getenv().getOrDefault("XDG_CACHE_HOME", System.getProperty("user.home") + "/.cache");
        String servers = System.getenv().getOrDefault("BLOBSHUFFLE_SERVERS", cache + "/blobshuffle-servers");
        Path installed = Path.of(servers, "bin", "helm");
        shell.require(installed.toString(), ".ci/install-servers helm");
        return installed.toString();
    }

    /** How many attributes of metrics the JMX exporter would name by the page's rule. */
    private static long beansThatTheRuleMatches(String rules) throws Exception {
        Matcher printed = Pattern.compile("pattern: '(.*)'").matcher(rules);
        assertThat(printed.find()).isTrue();
        Pattern rule = Pattern.compile(printed.group(1));
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        Set<ObjectName> names = beans.queryNames(new ObjectName("blobshuffle:type=blobshuffle-metrics,*"), null);
        return names.stream()
                .flatMap(name -> attributes(beans, name))
                .filter(attribute -> rule.matcher(attribute).matches())
                .count();
    }

    /** As the JMX exporter spells them: {@code domain<key=value, key=value><>attribute}. */
    private static Stream<String> attributes(MBeanServer beans, ObjectName name) {
        try {
            String properties = name.getKeyPropertyListString().replace(",", ", ");
            return Stream.of(beans.getMBeanInfo(name).getAttributes())
                    .map(attribute -> name.getDomain() + "<" + properties + "><>" + attribute.getName());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
