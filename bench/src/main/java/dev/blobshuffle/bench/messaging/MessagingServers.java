package dev.blobshuffle.bench.messaging;

import dev.blobshuffle.bench.observed.ObservedStoreProvider;
import dev.blobshuffle.bench.process.CpuTime;
import dev.blobshuffle.bench.process.Directories;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.kafkaembedded.KafkaProcess;
import dev.blobshuffle.messaging.Messaging;
import dev.blobshuffle.messaging.Topic;
import dev.blobshuffle.postgresql.internal.connection.PostgresqlUri;
import dev.blobshuffle.postgresql.internal.schema.ClientRole;
import dev.blobshuffle.postgresql.internal.schema.SchemaSetup;
import dev.blobshuffle.postgresqlembedded.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;

/**
 * The servers of both sides: PostgreSQL with a synchronous standby and a store of files; three
 * brokers at replication 3. Owned by one thread.
 */
public final class MessagingServers implements AutoCloseable {
    private static final int BROKERS = 3;
    private static final String STANDBY = "standby";
    private static final String ROLE = "bench";
    private static final String SCHEMA = "blobshuffle";
    private static final String DATABASE = "postgres";

    private final Path directory;
    private final PostgresServer primary;
    private final PostgresServer standby;
    private final KafkaProcess kafka;

    private MessagingServers(Path directory, PostgresServer primary, PostgresServer standby, KafkaProcess kafka) {
        this.directory = directory;
        this.primary = primary;
        this.standby = standby;
        this.kafka = kafka;
    }

    /**
     * Starts all servers.
     *
     * @param directory for their files and the store
     */
    public static MessagingServers start(Path directory) throws IOException, SQLException {
        PostgresServer primary = PostgresServer.builder()
                .setting("fsync", "on")
                .setting("shared_buffers", "256MB")
                .setting("max_wal_size", "4GB")
                .setting("max_connections", "300")
                .start();
        PostgresServer standby = primary.startStandby(STANDBY);
        primary.requireStandby(STANDBY);
        KafkaProcess kafka = KafkaProcess.builder()
                .brokers(BROKERS)
                .replicationFactor(BROKERS)
                .heapMebibytes(1024)
                .jvmFlags("-XX:-UseDynamicNumberOfCompilerThreads")
                .dataDirectory(directory.resolve("kafka"))
                .start();
        MessagingServers servers = new MessagingServers(directory, primary, standby, kafka);
        servers.setUp();
        return servers;
    }

    private void setUp() throws IOException, SQLException {
        String password = UUID.randomUUID().toString();
        write("owner", PostgresServer.USER, primary.password());
        write("application", ROLE, password);
        try (Connection connection = primary.connect(DATABASE);
                Statement statement = connection.createStatement()) {
            boolean ignored = statement.execute("create role " + ROLE + " login password '" + password + "'");
        }
        try (SchemaSetup setup =
                SchemaSetup.open(PostgresqlUri.parse(log("owner")), Optional.of(ClientRole.of(ROLE)))) {
            setup.execute();
        }
    }

    private void write(String name, String user, String password) throws IOException {
        PrivateFiles.write(directory.resolve(name), "user=" + user + "\npassword=" + password + "\n");
    }

    private String log(String credentials) {
        return "postgresql://127.0.0.1:" + primary.port() + "/" + DATABASE + "?schema=" + SCHEMA + "&credentials="
                + directory.resolve(credentials);
    }

    String kafka() {
        return kafka.bootstrapServers();
    }

    /** The settings of an instance of a zone. */
    Map<String, String> settings(int zone) {
        Map<String, String> settings = new HashMap<>();
        settings.put("blobshuffle.log", log("application"));
        settings.put("blobshuffle.store", ObservedStoreProvider.uri("file://" + directory.resolve("store"), 0));
        settings.put("blobshuffle.zone", "zone-" + zone);
        settings.put("blobshuffle.cache.memory.bytes", "64 MiB");
        return settings;
    }

    private static List<String> names(String prefix, Workload workload) {
        return IntStream.range(0, workload.topics())
                .mapToObj(i -> prefix + "-" + i)
                .toList();
    }

    /** Creates the topics of a run. */
    void createTopics(MessagingSystem system, String prefix, Workload workload) {
        List<String> names = names(prefix, workload);
        if (system.isKafka()) {
            names.forEach(
                    name -> kafka.createTopic(name, workload.partitions(), Map.of("file.delete.delay.ms", "1000")));
            return;
        }
        try (Messaging messaging = Messaging.open(settings(0))) {
            for (String name : names) {
                boolean ignored = messaging.topics().create(Topic.named(name).partitions(workload.partitions()));
            }
        }
    }

    /**
     * Deletes the topics of a run, whose clients have ended. A round at the maximum rate leaves
     * tens of gigabytes.
     */
    void dropTopics(MessagingSystem system, String prefix, Workload workload) throws IOException {
        List<String> names = names(prefix, workload);
        if (system.isKafka()) {
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka()))) {
                Object ignored = admin.deleteTopics(names).all().get(1, TimeUnit.MINUTES);
            } catch (ExecutionException | TimeoutException e) {
                throw new IOException("Cannot delete the topics of a run: " + e + ".", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("Cannot delete the topics of a run: interrupted.", e);
            }
            return;
        }
        try (Messaging messaging = Messaging.open(settings(0))) {
            names.forEach(messaging.topics()::delete);
        }
        Directories.delete(directory.resolve("store").resolve("blobs"));
    }

    /** CPU time that the servers of a system have used. */
    CpuTime cpu(MessagingSystem system) throws IOException {
        return system.isKafka()
                ? CpuTime.of(
                        IntStream.range(0, kafka.brokers()).mapToObj(kafka::pid).toList())
                : CpuTime.ofTrees(List.of(primary.pid(), standby.pid()));
    }

    /** The work of the database until now. */
    DatabaseWork databaseWork() throws SQLException {
        try (Connection connection = primary.connect(DATABASE);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0'),"
                        + " (select sum(xact_commit + xact_rollback) from pg_stat_database),"
                        + " (select count(*) from " + SCHEMA + ".batch)")) {
            return row.next()
                    ? new DatabaseWork(row.getLong(1), row.getLong(2), row.getLong(3))
                    : new DatabaseWork(0, 0, 0);
        }
    }

    @Override
    public void close() {
        kafka.close();
        standby.close();
        primary.close();
    }
}
